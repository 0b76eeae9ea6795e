import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { ScriptedBackend } from '../scripted/backend';
import { drafting, lookup, model } from '../scripted/samples';
import App from '../src/App.svelte';
import type { Frame, Phase, Round, Trace } from '../src/lib/backend/backend';

export const target = model({ id: 't', role: 'target', folder: '/models/gemma-3-270m-it' });
export const base = model({ id: 'b', role: 'target', folder: '/models/gemma-3-270m', chatTemplate: false });
export const drafter = model({ id: 'd', role: 'drafter', folder: '/models/dspark-270m' });
export { lookup };

/** A backend with a target and a drafter, the target picked. */
export function backendWithModels(): ScriptedBackend {
  const backend = new ScriptedBackend();
  backend.registered = [target, base, drafter, lookup];
  backend.kept = { ...backend.kept, target: 't' };
  return backend;
}

export async function open(backend: ScriptedBackend): Promise<ReturnType<typeof userEvent.setup>> {
  render(App, { backend });
  await screen.findByLabelText('Views and conversations');
  return userEvent.setup();
}

export async function openModels(backend: ScriptedBackend): Promise<ReturnType<typeof userEvent.setup>> {
  const user = await open(backend);
  await user.click(screen.getByRole('button', { name: /^Models/ }));
  return user;
}

export async function openTrain(backend: ScriptedBackend): Promise<ReturnType<typeof userEvent.setup>> {
  const user = await open(backend);
  await user.click(screen.getByRole('button', { name: /^Train/ }));
  return user;
}

export async function openCalibrate(backend: ScriptedBackend): Promise<ReturnType<typeof userEvent.setup>> {
  const user = await open(backend);
  await user.click(screen.getByRole('button', { name: /^Calibrate/ }));
  return user;
}

export async function openCompare(backend: ScriptedBackend): Promise<ReturnType<typeof userEvent.setup>> {
  const user = await open(backend);
  await user.click(screen.getByRole('button', { name: /^Compare/ }));
  return user;
}

export const composer = () => screen.getByRole('textbox', { name: 'Message' });

/** Sends a message and waits for its answer to appear; gives the running answer's ids. */
export async function ask(backend: ScriptedBackend, user: ReturnType<typeof userEvent.setup>, text: string) {
  await user.type(composer(), `${text}{Enter}`);
  await screen.findByRole('button', { name: 'Stop' });
  const { conversation } = backend.said.at(-1)!;
  return { conversation, message: backend.written.get(conversation)!.at(-1)!.id };
}

export function round(text: string, proposed: number, accepted: number): Round {
  return { ...trace([text]), thought: '', text, tokens: accepted + 1, proposed, accepted, bound: 'limit', course: 'drafting', turn: null, waits: 1 };
}

/** What a plain round did; a test gives what matters to it. */
export function trace(pieces: string[], part: Partial<Trace> = {}): Trace {
  const none = { rejected: [], confidences: [], calibrated: [], p: [], q: [], ownP: null, cut: 0 };
  const took = { seconds: 0.1, draftSeconds: null, verifySeconds: null, deviceSeconds: 0.09 };
  return { pieces, provenance: pieces.map(() => 'plain'), ...none, ...took, ...part };
}

export const decoding: Phase = { kind: 'decoding', speculation: drafting };

export function frame(ids: { conversation: number; message: number }, part: Partial<Frame>): Frame {
  return { ...ids, written: null, firstRound: 0, rounds: [], phase: decoding, ...part };
}
