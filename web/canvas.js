/* A canvas with one pixel per pixel of the screen, and colours of the theme. */

/**
 * Sizes the canvas by its box (height: by the caller) and gives a pen whose
 * unit is the CSS pixel.
 * @param {HTMLCanvasElement} canvas @param {number} width
 * @param {number} height
 */
export function penFor(canvas, width, height) {
  const scale = devicePixelRatio || 1;
  const pen = canvas.getContext('2d');
  if (!pen)
    throw new Error('no canvas');
  const w = Math.max(1, Math.round(width * scale));
  const h = Math.max(1, Math.round(height * scale));
  /* Another size takes new memory, and empties it. */
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = `${height}px`;
  } else
    pen.reset();
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  return pen;
}

/** A colour of style.css. @param {string} name */
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name)
    .trim();
}

/** @param {string} text */
function hash(text) {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++)
    h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}

/**
 * What a frame belongs to: its namespace, package, library or folder. Frames of
 * one module have one colour.
 * @param {import('./types.js').Key} key
 */
export function moduleOf(key) {
  return key.module || '(none)';
}

/**
 * The warmer, the more of the samples a frame has as the innermost one.
 * @param {number} share @param {boolean} isDark
 */
export function colorOfSelf(share, isDark) {
  const heat = Math.min(1, Math.sqrt(share / 0.3));
  return isDark ? `hsl(${48 - 30 * heat} ${8 + 62 * heat}% ${26 + 12 * heat}%)` :
    `hsl(${48 - 30 * heat} ${14 + 76 * heat}% ${91 - 25 * heat}%)`;
}

/**
 * Red for what grew, blue for what shrank, stronger the larger the change; grey
 * for noise.
 * @param {{delta: number, is_significant: boolean}|undefined} change
 * @param {boolean} isDark
 */
export function colorOfChange(change, isDark) {
  if (!change?.is_significant)
    return isDark ? '#3a3c41' : '#dcdad5';
  const strength = Math.min(1, Math.sqrt(Math.abs(change.delta) / 0.2));
  const hue = change.delta > 0 ? 8 : 212;
  return isDark ? `hsl(${hue} ${35 + 40 * strength}% ${34 + 8 * strength}%)` :
    `hsl(${hue} ${55 + 25 * strength}% ${86 - 26 * strength}%)`;
}

/**
 * Colours that differ in lightness as well as in hue, so that neighbours differ
 * for colour-blind eyes too.
 * @param {string} text @param {boolean} isDark
 */
export function colorOf(text, isDark) {
  const h = hash(text), hue = h % 360, step = (h >>> 12) % 3;
  return isDark ? `hsl(${hue} 34% ${30 + 5 * step}%)` :
    `hsl(${hue} 58% ${74 + 5 * step}%)`;
}
