import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { message, outcome } from '../scripted/samples';
import { Refusal } from '../src/lib/backend/backend';
import { ask, backendWithModels, frame, open, round } from './window';

const verify = () => screen.getByRole('button', { name: 'Verify' });

/** A window with an answer that is over. */
async function answered() {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  const rounds = [round('Good day', 2, 2)];
  const end = message({ id: ids.message, author: 'assistant', text: 'Good day', outcome: outcome(rounds) });
  backend.emit(frame(ids, { rounds, phase: { kind: 'ended', message: end } }));
  await waitFor(() => expect(verify()).toBeEnabled());
  return { backend, user, ids };
}

test('an answer that plain decoding writes too is said to be identical', async () => {
  const { backend, user, ids } = await answered();
  await user.click(verify());
  expect(backend.verified).toEqual([{ message: ids.message, insist: false }]);
  expect(await screen.findByText(/The target reads this answer again, with no drafter/)).toBeInTheDocument();
  expect(verify()).toBeDisabled();
  backend.proven({ holds: true, sentence: 'Identical to plain decoding: 3 tokens.' });
  expect(await screen.findByTestId('proof')).toHaveTextContent('Identical to plain decoding: 3 tokens.');
  expect(verify()).toBeEnabled();
});

test('a divergence is a problem with both tokens', async () => {
  const { backend, user } = await answered();
  await user.click(verify());
  const sentence = 'Token 2 is "a" (id 7, logit 29.0000), and plain decoding writes "b" (id 9, logit 31.0000); something is wrong.';
  backend.proven({ holds: false, sentence });
  expect(await screen.findByTestId('proof')).toHaveTextContent(sentence);
  expect(screen.getByTestId('proof')).toHaveClass('problem');
});

test('a verification that is cancelled says nothing and can be asked for again', async () => {
  const { user } = await answered();
  await user.click(verify());
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(verify()).toBeEnabled());
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('a target that needs more memory than there is can be loaded all the same', async () => {
  const { backend, user, ids } = await answered();
  await user.click(verify());
  backend.proven(new Refusal({ code: 'insist', message: 'This needs 9 GB of memory.' }));
  expect(await screen.findByText(/This needs 9 GB of memory\./)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Load it all the same' }));
  expect(backend.verified[1]).toEqual({ message: ids.message, insist: true });
});
