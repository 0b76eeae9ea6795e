import type { Gated, Offer, TokenSource } from '../backend/backend';
import { bytes } from '../format';

export const gates: Record<Gated, string> = {
  no: 'open to everybody',
  auto: 'the licence must be accepted',
  manual: 'the publisher lets people in one by one',
};

export const tokens: Record<TokenSource, string> = {
  none: 'No token. Repos that are open to everybody need none.',
  keychain: 'A token lies in the system’s keychain.',
  thisRun: 'A token was typed, and is forgotten when Slipstream ends.',
  variable: 'The token of the variable HF_TOKEN is used.',
  file: 'The token of the Hub’s own tools is used.',
};

/** Why what is offered cannot be got; null if it can. */
export function obstacle(offer: Offer, coming: boolean, token: TokenSource): string | null {
  const { here, gated, unknown, toFetch, toWrite, free } = offer;
  if (here?.whole) return here.model === null ? null : 'It is in the list already.';
  if (coming) return 'It is on its way.';
  if (gated !== 'no' && token === 'none' && toFetch > 0) return 'It is gated: enter a token of an account that may have it.';
  if (unknown !== null) return unknown;
  if (toWrite > free) return `It takes ${bytes(toWrite)} on the disk, and ${bytes(free)} are free. Make some room first.`;
  return null;
}
