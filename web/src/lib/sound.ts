// Synthesised sounds, no samples. What an event sounds like, the look of the game says. Off by default.

import { settings } from "./settings.svelte";

/** What can be heard. */
export type Sound = "roll" | "keep" | "bank" | "bust" | "hot" | "win";

/** The sounds of a game without a look. */
export const PLAIN: Record<Sound, string> = {
  roll: "wood",
  keep: "stone",
  bank: "coin",
  bust: "thud",
  hot: "spark",
  win: "chime",
};

let chosen: Record<string, string> = {};

/** Use the sounds of a look. */
export function useSounds(sounds: Record<string, string> | undefined): void {
  chosen = sounds ?? {};
}

let context: AudioContext | undefined;

/** A short burst of noise, as when something hard hits something. */
function hit(after: number, pitch: number, volume: number, seconds = 0.04, sharp = 3): void {
  if (!context) return;
  const length = Math.floor(context.sampleRate * seconds);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const wave = buffer.getChannelData(0);
  for (let i = 0; i < length; i++) wave[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 3;
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: sharp });
  const gain = new GainNode(context, { gain: volume });
  source.connect(filter).connect(gain).connect(context.destination);
  source.start(context.currentTime + after);
}

/** A tone that fades, and may glide to another pitch. */
function tone(
  after: number,
  pitch: number,
  seconds: number,
  { type = "triangle", volume = 0.15, to = pitch }: Partial<Tone> = {},
): void {
  if (!context) return;
  const at = context.currentTime + after;
  const source = new OscillatorNode(context, { type, frequency: pitch });
  source.frequency.setValueAtTime(pitch, at);
  source.frequency.exponentialRampToValueAtTime(to, at + seconds);
  const gain = new GainNode(context, { gain: volume });
  gain.gain.setValueAtTime(volume, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + seconds);
  source.connect(gain).connect(context.destination);
  source.start(at);
  source.stop(at + seconds);
}

interface Tone {
  type: OscillatorType;
  volume: number;
  to: number;
}

/** Several hits that follow each other ever faster or slower, as dice do. */
function rattle(pitch: number, spread: number, volume: number, count = 9): void {
  for (let i = 0; i < count; i++)
    hit(i * 0.05 + Math.random() * 0.03, pitch + Math.random() * spread, volume * (1 - i / 14));
}

/** How each sound of a look is made. */
export const VOICES: Record<string, () => void> = {
  wood: () => rattle(800, 1400, 0.5),
  stone: () => rattle(1900, 2400, 0.35, 5),
  cup: () => {
    for (let i = 0; i < 4; i++) hit(i * 0.06, 420 + Math.random() * 300, 0.4, 0.05, 5);
    setTimeout(() => rattle(700, 1300, 0.45, 6), 220);
  },
  chime: () =>
    [523, 659, 784].forEach((pitch, at) => tone(at * 0.09, pitch, 0.6, { type: "sine" })),
  coin: () => {
    tone(0, 988, 0.09, { type: "square", volume: 0.05 });
    tone(0.07, 1319, 0.35, { type: "square", volume: 0.05 });
  },
  thud: () => {
    hit(0, 140, 0.9, 0.16, 1);
    tone(0.04, 180, 0.45, { to: 70 });
  },
  spark: () =>
    [440, 587, 880].forEach((pitch, at) =>
      tone(at * 0.08, pitch, 0.32, { volume: 0.12, to: pitch * 1.3 }),
    ),
  scuttle: () => {
    for (let i = 0; i < 14; i++) hit(i * 0.028, 3200 + Math.random() * 1800, 0.16, 0.018, 6);
  },
  drum: () => {
    for (const at of [0, 0.16, 0.24]) tone(at, 150, 0.22, { type: "sine", volume: 0.4, to: 60 });
  },
  engine: () => tone(0, 220, 0.7, { type: "sawtooth", volume: 0.08, to: 45 }),
  flag: () => {
    for (let i = 0; i < 5; i++) hit(i * 0.07, 500 + i * 60, 0.3, 0.06, 1);
  },
};

export function play(what: Sound): void {
  if (!settings.sound) return;
  context ??= new AudioContext();
  VOICES[chosen[what] ?? PLAIN[what]]?.();
}

/** Call the player; whether they want that is a setting of its own. */
export function ring(): void {
  context ??= new AudioContext();
  [784, 1047, 784, 1047].forEach((pitch, at) =>
    tone(at * 0.14, pitch, 0.5, { type: "sine", volume: 0.2 }),
  );
}
