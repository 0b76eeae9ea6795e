import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { commit, download, model } from '../scripted/samples';
import { training } from '../scripted/training';
import { backendWithModels, drafter, lookup, openModels, target } from './window';

const repo = 'google/gemma-3-270m-it';
const mine = model({ id: 'm', role: 'target', folder: `/data/checkpoints/${commit}`, source: 'downloaded', repo, commit });

function backendWithDownloaded() {
  const backend = backendWithModels();
  backend.registered = [mine, drafter, lookup];
  return backend;
}

test('a row says where its files come from, and which are missing', async () => {
  const backend = backendWithDownloaded();
  backend.missing.set('m', ['model-00002-of-00002.safetensors']);
  await openModels(backend);
  const row = within((await screen.findAllByTestId('model'))[0]!);
  expect(row.getByRole('heading')).toHaveTextContent('gemma-3-270m-it');
  expect(row.getByText('downloaded')).toBeInTheDocument();
  expect(row.getByText(`${repo} @ 1a2b3c4`)).toBeInTheDocument();
  const missing = '1 file missing: model-00002-of-00002.safetensors. Repair fetches what is missing.';
  expect(await row.findByText(missing)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Repair dspark-270m' })).not.toBeInTheDocument();
});

test('verifying shows how far it is, and then what was proved', async () => {
  const backend = backendWithModels();
  let end = () => {};
  backend.checked = new Promise((resolve) => (end = resolve));
  const user = await openModels(backend);
  const button = await screen.findByRole('button', { name: 'Verify the files of gemma-3-270m-it' });
  await user.click(button);
  expect(button).toBeDisabled();
  backend.checking({ done: 100_000_000, total: 536_000_000 });
  expect(await screen.findByText('100 MB of 536 MB read')).toBeInTheDocument();
  end();
  expect(await screen.findByTestId('proof')).toHaveTextContent('All 3 files are what their hashes say.');
  backend.checking({ done: 536_000_000, total: 536_000_000 });
  expect(screen.queryByTestId('checking')).not.toBeInTheDocument();
});

test('a check can be stopped, and there is one for each model', async () => {
  const backend = backendWithDownloaded();
  backend.checked = new Promise(() => {});
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Verify the files of gemma-3-270m-it' }));
  expect(screen.getByRole('button', { name: 'Repair gemma-3-270m-it' })).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Stop reading the files of gemma-3-270m-it' }));
  await waitFor(() => expect(screen.queryByTestId('checking')).not.toBeInTheDocument());
  expect(screen.queryByTestId('proof')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Repair gemma-3-270m-it' })).toBeEnabled();
});

test('a page that is loaded again finds the check that runs', async () => {
  const backend = backendWithDownloaded();
  let end = () => {};
  backend.checked = new Promise((resolve) => (end = resolve));
  backend.checksThatRun = [{ model: 'm', work: 'repair' }];
  await openModels(backend);
  expect(await screen.findByTestId('checking')).toBeInTheDocument();
  backend.checking({ done: 100_000_000, total: 536_000_000 });
  expect(await screen.findByText('100 MB of 536 MB read')).toBeInTheDocument();
  end();
  expect(await screen.findByTestId('proof')).toHaveTextContent('Nothing needs repair.');
});

test('what was found out about a model goes with it', async () => {
  const backend = backendWithModels();
  backend.missing.set('d', ['model.safetensors']);
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Verify the files of dspark-270m' }));
  expect(await screen.findByTestId('proof')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Remove dspark-270m' }));
  backend.missing.clear();
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(screen.getAllByTestId('model').at(-1)).toHaveFocus());
  expect(screen.queryByTestId('proof')).not.toBeInTheDocument();
  expect(screen.queryByText(/^1 file missing/)).not.toBeInTheDocument();
});

test('broken files are named, and repair fetches them', async () => {
  const backend = backendWithDownloaded();
  backend.proof = { holds: false, sentence: 'Of 3 files, 1 are broken and 0 are missing.', faulty: ['model.safetensors'] };
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Verify the files of gemma-3-270m-it' }));
  expect(await screen.findByTestId('proof')).toHaveTextContent(/1 are broken.*model\.safetensors\.$/);
  backend.jobs = [download({ id: 1, state: 'queued' })];
  await user.click(screen.getByRole('button', { name: 'Repair gemma-3-270m-it' }));
  await waitFor(() => expect(screen.getByTestId('proof')).toHaveTextContent('What is broken is being fetched again.'));
  expect(await screen.findByTestId('download')).toHaveAttribute('data-state', 'queued');
  backend.list([{ ...backend.jobs[0]!, state: 'done', model: 'm' }]);
  await waitFor(() => expect(screen.queryByTestId('proof')).not.toBeInTheDocument());
});

test('files that cannot be read are told of', async () => {
  const backend = backendWithModels();
  backend.failing.set('checkFiles', 'The disk does not answer.');
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Verify the files of dspark-270m' }));
  expect(await screen.findByText('The disk does not answer.')).toBeInTheDocument();
});

test('a model is removed at once, and comes back with Undo', async () => {
  const backend = backendWithModels();
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Remove dspark-270m' }));
  expect(await screen.findByText(/^Removed dspark-270m\./)).toBeInTheDocument();
  expect(backend.registered.map(({ id }) => id)).toEqual(['t', 'b', 'lookup']);
  expect(screen.getByRole('button', { name: 'Undo' })).toHaveFocus();
  await user.keyboard('{Enter}');
  expect(await screen.findByRole('button', { name: 'Remove dspark-270m' })).toBeInTheDocument();
  expect(screen.queryByTestId('removed')).not.toBeInTheDocument();
});

test('a target that is removed names the training that cannot go on without it', async () => {
  const backend = backendWithModels();
  backend.course = [training({ id: 1, state: 'paused', name: 'mine' })];
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Remove gemma-3-270m-it' }));
  expect(await screen.findByText('The training of mine cannot go on without it.')).toBeInTheDocument();
});

test('a drafter that only the removed target uses is offered for removal', async () => {
  const backend = backendWithModels();
  backend.onlyUsedBy.set('t', [drafter]);
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Remove gemma-3-270m-it' }));
  expect(await screen.findByText('No other target uses the drafter dspark-270m.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Remove dspark-270m too' }));
  await waitFor(() => expect(backend.registered.map(({ id }) => id)).toEqual(['b', 'lookup']));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Undo' })).toHaveFocus());
  expect(screen.queryByRole('button', { name: 'Remove dspark-270m too' })).not.toBeInTheDocument();
});

test('a drafter that cannot be removed too says why, and is offered under no other removal', async () => {
  const backend = backendWithModels();
  backend.onlyUsedBy.set('t', [drafter]);
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Remove gemma-3-270m-it' }));
  const too = await screen.findByRole('button', { name: 'Remove dspark-270m too' });
  backend.failing.set('removeModel', 'The database is locked.');
  await user.click(too);
  expect(await within(screen.getByTestId('removed')).findByRole('alert')).toHaveTextContent('The database is locked.');
  expect(too).toHaveFocus();
  backend.failing.clear();
  await user.click(screen.getByRole('button', { name: 'Remove gemma-3-270m' }));
  expect(await screen.findByText(/^Removed gemma-3-270m\./)).toBeInTheDocument();
  expect(screen.queryByText(/^No other target uses/)).not.toBeInTheDocument();
});

test('a removal does not wait for what nothing else uses', async () => {
  const backend = backendWithModels();
  backend.orphans = () => new Promise(() => {});
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Remove gemma-3-270m-it' }));
  expect(await screen.findByText(/^Removed gemma-3-270m-it\./)).toBeInTheDocument();
  expect(screen.getAllByTestId('model')).toHaveLength(2);
});

test('a removal that fails leaves the model where it is', async () => {
  const backend = backendWithModels();
  backend.failing.set('removeModel', 'The database is locked.');
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Remove dspark-270m' }));
  expect(await screen.findByText('The database is locked.')).toBeInTheDocument();
  expect(screen.getAllByTestId('model')).toHaveLength(3);
});

test('the trash restores one model, and is emptied after a question', async () => {
  const backend = backendWithModels();
  backend.trashed = [mine, { ...target, id: 'old' }].map((model) => ({ model, until: Date.UTC(2027, 1, 9, 12) }));
  const user = await openModels(backend);
  await user.click(await screen.findByText('Trash (2)'));
  expect(screen.getAllByText('536 MB, until Feb 9')).toHaveLength(2);
  await user.click(within(screen.getByTestId('trash')).getAllByRole('button', { name: /^Restore/ })[1]!);
  expect(await screen.findByText('Trash (1)')).toBeInTheDocument();
  expect(backend.registered.at(-1)!.id).toBe('old');
  await user.click(screen.getByRole('button', { name: 'Empty trash…' }));
  expect(screen.getByRole('button', { name: 'Keep' })).toHaveFocus();
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('The trash is empty; 536 MB are free again.')).toBeInTheDocument();
  expect(screen.queryByTestId('trash')).not.toBeInTheDocument();
});
