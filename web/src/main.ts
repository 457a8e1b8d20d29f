import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { loadIcons } from "./lib/icons";
import { applySettings } from "./lib/settings.svelte";

applySettings();
void loadIcons();
mount(App, { target: document.body });
