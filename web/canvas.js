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
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.style.height = `${height}px`;
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
 * What a frame belongs to: the folder of its file, or the namespace of its
 * name. Frames of one module have one colour.
 * @param {import('./types.js').Key} key
 */
export function moduleOf(key) {
  const slash = key.file.lastIndexOf('/');
  if (slash > 0)
    return key.file.slice(0, slash);
  const part = /^(.*?)(::|\\)/.exec(key.name);
  return part ? part[1] : key.file || '?';
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
