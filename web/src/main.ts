import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { loadIcons } from "./lib/icons";
import { applySettings } from "./lib/settings.svelte";
import { registerWorker } from "./lib/installing";

applySettings();
void loadIcons();
if (document.readyState === "complete") void registerWorker();
else addEventListener("load", () => void registerWorker(), { once: true });
mount(App, { target: document.body });
