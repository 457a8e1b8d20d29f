import { mount } from "svelte";
import "../app.css";
import { games } from "../lib/api";
import { loadIcons } from "../lib/icons";
import { applySettings, settings } from "../lib/settings.svelte";
import Design from "./Design.svelte";

settings.speed = "off"; // nothing moves
applySettings();
const [catalogue] = await Promise.all([games(), loadIcons()]);
mount(Design, { target: document.body, props: { games: catalogue.games } });
