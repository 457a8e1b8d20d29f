// Synthesised sounds: dice on wood, a bank, a bust. Off by default.

import { settings } from "./settings.svelte";

let context: AudioContext | undefined;

function click(at: number, pitch: number, volume: number): void {
  if (!context) return;
  const length = Math.floor(context.sampleRate * 0.04);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const wave = buffer.getChannelData(0);
  for (let i = 0; i < length; i++) wave[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 3;
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 3 });
  const gain = new GainNode(context, { gain: volume });
  source.connect(filter).connect(gain).connect(context.destination);
  source.start(at);
}

function tone(at: number, pitch: number, seconds: number): void {
  if (!context) return;
  const source = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  const gain = new GainNode(context, { gain: 0.15 });
  gain.gain.setValueAtTime(0.15, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + seconds);
  source.connect(gain).connect(context.destination);
  source.start(at);
  source.stop(at + seconds);
}

export type Sound = "roll" | "bank" | "bust";

export function play(what: Sound): void {
  if (!settings.sound) return;
  context ??= new AudioContext();
  const now = context.currentTime;
  if (what === "roll") {
    for (let i = 0; i < 9; i++)
      click(now + i * 0.05 + Math.random() * 0.03, 900 + Math.random() * 1600, 0.5);
  } else if (what === "bank") {
    tone(now, 660, 0.15);
    tone(now + 0.1, 880, 0.25);
  } else {
    tone(now, 220, 0.3);
    tone(now + 0.18, 165, 0.5);
  }
}
