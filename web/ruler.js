/* The scale of time above a chart. */
import { color } from './canvas.js';

/** Pixels that a label needs. */
const APART = 96;

/** Microseconds with as many digits as the step between ticks needs.
 * @param {number} us @param {number} step */
export function tickLabel(us, step) {
  if (step >= 60e6) {
    const minutes = Math.round(us / 60e6);
    return minutes < 60 ? `${minutes} min` :
      `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`;
  }
  const digits = Math.max(0, Math.ceil(-Math.log10(step / 1e6) - 1e-9));
  return `${(us / 1e6).toFixed(Math.min(6, digits))} s`;
}

/** A round step: 1, 2 or 5 of a unit. @param {number} least */
export function stepOf(least) {
  if (least > 30e6)
    return [60e6, 120e6, 300e6, 600e6, 1800e6, 3600e6].find(s => s >= least) ??
      Math.ceil(least / 3600e6) * 3600e6;
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map(n => n * unit).find(s => s >= least) ?? unit * 10;
}

/**
 * Draws ticks and labels of a range into `width` pixels from `left` on. Returns
 * where ticks are, for lines below them.
 * @param {CanvasRenderingContext2D} pen @param {number} left
 * @param {number} width @param {number} height
 * @param {{a: number, b: number}} range
 */
export function drawRuler(pen, left, width, height, range) {
  const scale = width / (range.b - range.a), step = stepOf(APART / scale);
  const at = [];
  pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
  pen.textBaseline = 'middle';
  for (let t = Math.ceil(range.a / step) * step; t <= range.b; t += step) {
    const x = left + (t - range.a) * scale;
    pen.fillStyle = color('--line');
    pen.fillRect(Math.round(x), height - 7, 1, 7);
    pen.fillStyle = color('--dim');
    const label = tickLabel(t, step);
    if (x + 4 + pen.measureText(label).width <= left + width)
      pen.fillText(label, Math.round(x) + 4, height / 2);
    at.push(Math.round(x));
  }
  return at;
}
