/* What threads are called. */

/** @param {{pid: number|null, tid: number|null, name: string,
 *   process?: string}} track */
export function nameOfTrack(track) {
  return [track.tid !== null && track.tid !== track.pid ?
    `thread ${track.tid}` : `process ${track.pid ?? '?'}`,
  track.name || track.process || ''].filter(Boolean).join(' · ');
}
