/*
 * What becomes of the trace while somebody looks at it: a recording that runs,
 * inputs that grow, the end of either, and a server that is gone.
 */
import { byId, make, safe, time } from './format.js';

/** @typedef {import('./types.js').Info} Info */

/** @param {Info} now */
function words(now) {
  const seconds = Math.floor(now.recorded_us / 1e6);
  switch (now.state) {
  case 'recording':
    return `recording, ${seconds < 60 ? `${seconds} s` :
      time(now.recorded_us)}`;
  case 'ended':
    return `recording ended after ${time(now.recorded_us)}`;
  case 'following':
    return now.follows ? 'following' : 'complete';
  default:
    return '';
  }
}

/** The server answers. @param {Info} now */
export function showLive(now) {
  const box = byId('live'), notice = byId('notice');
  delete notice.dataset.gone;
  notice.hidden = !now.note;
  if (now.note && notice.textContent !== safe(now.note))
    notice.textContent = safe(now.note);
  box.hidden = !words(now);
  box.className = now.follows ? now.state : 'over';
  if (box.textContent !== words(now))
    box.textContent = words(now);
}

/** Says that the server does not answer, and offers to ask again.
 * @param {string} text @param {() => void} again */
export function showGone(text, again) {
  const box = byId('notice'), button = make('button', '', 'Try again');
  byId('live').hidden = true;
  if (box.dataset.gone)
    return;
  box.dataset.gone = 'yes';
  button.type = 'button';
  button.addEventListener('click', again);
  box.replaceChildren(make('span', '', text), button);
  box.hidden = false;
}
