// The shape of a course: a closed circuit with as many stages as there are, the same for the same course.

/** The height of the box in which a circuit is drawn; it is as wide as there is room. */
export const HEIGHT = 200;

export interface Spot {
  x: number;
  y: number;
  /** The direction of travel, in degrees. */
  heading: number;
}

export interface Circuit {
  /** The road as an SVG path. */
  path: string;
  /** The middle of each stage. */
  spots: Spot[];
}

/** Bends: how far in or out the road lies at each part of the way round. */
const BENDS = [0.02, -0.3, 0.04, -0.12, 0.03, -0.34, 0.02, -0.16];
const MARGIN = 26;

/** A point of the circuit; one round is from 0 to 1, clockwise, starting in the middle below. */
function point(round: number, width: number): [number, number] {
  const angle = 2 * Math.PI * round + Math.PI / 2;
  const place = (((round % 1) + 1) % 1) * BENDS.length;
  const at = Math.floor(place);
  const part = (1 - Math.cos(Math.PI * (place - at))) / 2; // no corners
  const bend = (n: number) => BENDS[n % BENDS.length] ?? 0;
  const radius = 1 + bend(at) * (1 - part) + bend(at + 1) * part;
  // Rounder than a box, longer than an ellipse.
  const long = (value: number) => Math.sign(value) * Math.abs(value) ** 0.8;
  return [
    width / 2 + (width / 2 - MARGIN) * radius ** 0.5 * long(Math.cos(angle)),
    HEIGHT / 2 + (HEIGHT / 2 - MARGIN) * radius * long(Math.sin(angle)),
  ];
}

const STEPS = 160;

export function circuitOf(stages: number, width: number): Circuit {
  const points = Array.from({ length: STEPS }, (_, at) => point(at / STEPS, width));
  const path = points
    .map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join(" ");
  const spots = Array.from({ length: stages }, (_, at): Spot => {
    const round = (at + 0.5) / stages;
    const [x, y] = point(round, width);
    const [nextX, nextY] = point(round + 0.005, width);
    return { x, y, heading: (180 / Math.PI) * Math.atan2(nextY - y, nextX - x) };
  });
  return { path: `${path} Z`, spots };
}
