import type { Download, DownloadPhase } from '../backend/backend';
import { bytes, duration } from '../format';

const phases: Record<DownloadPhase, string> = {
  copying: 'taking over what other programs have',
  fetching: 'fetching',
  verifying: 'verifying',
  placing: 'placing',
};

/** What became of a download, in a sentence or two. */
export function news({ repo, state, reason }: Download): string {
  const what = state === 'queued' ? 'waits' : state === 'failed' ? 'has failed' : 'has stopped';
  if (reason !== null) return `The download of ${repo} ${what}: ${reason}`;
  return state === 'done' ? `${repo} is here, verified.` : `The download of ${repo} is cancelled.`;
}

/** How a download stands, part by part. */
export function standing({ state, reason, phase, arrived, total, rate, remainingSeconds }: Download): string[] {
  const amount = `${bytes(arrived)} of ${bytes(total)}`;
  if (state === 'running') {
    const pace = phase === 'fetching' && rate !== null ? [`${bytes(rate)}/s`] : [];
    const rest = phase === 'fetching' && remainingSeconds !== null ? [`${duration(remainingSeconds)} left`] : [];
    return [phase === null ? 'starting' : phases[phase], amount, ...pace, ...rest];
  }
  const queued = reason === null ? 'waits for its turn' : 'waits';
  const words = { queued, paused: 'paused', failed: 'failed', cancelled: 'cancelled', done: 'verified' };
  return [words[state], state === 'done' ? bytes(total) : amount];
}
