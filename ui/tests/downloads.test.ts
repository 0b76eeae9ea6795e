import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { download, model } from '../scripted/samples';
import { standing } from '../src/lib/downloads/words';
import { open, openModels } from './window';

const running = download({ id: 1, state: 'running', phase: 'fetching', rate: 42_000_000, remainingSeconds: 182 });
const row = async () => within(await screen.findByTestId('download'));

test('a download says what it does, how far it is, how fast, and how long yet', () => {
  expect(standing(running).join(' · ')).toBe('fetching · 2.6 GB of 10 GB · 42 MB/s · 3 min 2 s left');
  expect(standing({ ...running, phase: 'verifying' }).join(' · ')).toBe('verifying · 2.6 GB of 10 GB');
  expect(standing({ ...running, state: 'queued', phase: null }).join(' · ')).toBe('waits for its turn · 2.6 GB of 10 GB');
  const queued = download({ id: 1, state: 'queued', reason: 'The Hub does not answer.' });
  expect(standing(queued).join(' · ')).toBe('waits · 2.6 GB of 10 GB');
  expect(standing({ ...running, state: 'done' }).join(' · ')).toBe('verified · 10 GB');
});

test('the sidebar says how far the running download is, wherever one is', async () => {
  const backend = new ScriptedBackend();
  await openModels(backend);
  expect(screen.queryByTestId('downloading')).not.toBeInTheDocument();
  backend.list([running]);
  expect(await screen.findByTestId('downloading')).toHaveTextContent(/^25\s?%$/);
});

test('a download is paused, resumed and cancelled', async () => {
  const backend = new ScriptedBackend();
  backend.jobs = [running];
  const user = await openModels(backend);
  await user.click((await row()).getByRole('button', { name: 'Pause google/gemma-4-E2B-it' }));
  expect(await screen.findByText('paused')).toBeInTheDocument();
  await user.click((await row()).getByRole('button', { name: 'Resume google/gemma-4-E2B-it' }));
  expect(await screen.findByText('waits for its turn')).toBeInTheDocument();
  const cancel = () => screen.getByRole('button', { name: 'Cancel google/gemma-4-E2B-it' });
  await user.click(cancel());
  expect(screen.getByText('2.6 GB have arrived. What no other model needs of it is deleted.')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Keep' })).toHaveFocus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(cancel()).toHaveFocus());
  expect((await row()).queryByText(/deleted/)).not.toBeInTheDocument();
  await user.keyboard('{Enter}');
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  const forget = await screen.findByRole('button', { name: 'Forget google/gemma-4-E2B-it' });
  await waitFor(() => expect(forget).toHaveFocus());
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByTestId('download')).not.toBeInTheDocument());
});

test('nothing is asked where nothing has arrived, and a failed download is not forgotten unasked', async () => {
  const backend = new ScriptedBackend();
  backend.jobs = [download({ id: 1, state: 'queued', arrived: 0 }), download({ id: 2, repo: 'ada/two', state: 'failed', reason: 'Why.' })];
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Cancel google/gemma-4-E2B-it' }));
  expect(await screen.findByText('cancelled')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Forget ada/two' }));
  expect(backend.jobs).toHaveLength(2);
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Forget ada/two' })).toHaveFocus());
  await user.keyboard('{Enter}');
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(backend.jobs).toHaveLength(1));
});

test('a download that failed because it is gated leads to its page, and goes on with a token', async () => {
  const backend = new ScriptedBackend();
  backend.jobs = [download({ id: 1, state: 'failed', reason: 'It is gated.', code: 'acceptLicence' })];
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Open the page of google/gemma-4-E2B-it in the browser' }));
  expect(backend.opened).toEqual(['google/gemma-4-E2B-it']);
  await user.type(screen.getByLabelText('Token of your account on the Hub'), 'hf_secret{Enter}');
  await waitFor(() => expect(screen.getByTestId('download')).toHaveAttribute('data-state', 'queued'));
});

test('what becomes of a download is said wherever somebody is', async () => {
  const backend = new ScriptedBackend();
  backend.jobs = [running, { ...running, id: 2, repo: 'ada/two' }];
  await open(backend);
  expect(screen.getByRole('img', { name: /^25\s?% of a download has arrived$/ })).toBeInTheDocument();
  expect(screen.getByTestId('announced')).toHaveTextContent(/^$/);
  backend.list([{ ...running, state: 'done' }, { ...backend.jobs[1]!, state: 'failed', reason: 'The disk is full.' }]);
  await waitFor(() => expect(screen.getByTestId('announced')).toHaveTextContent('google/gemma-4-E2B-it is here, verified.'));
  expect(screen.getByTestId('announced-failure')).toHaveTextContent('The download of ada/two has failed: The disk is full.');
});

test('a download that waits for the Hub says so quietly, and is tried at once by who wants it', async () => {
  const backend = new ScriptedBackend();
  backend.jobs = [running];
  const user = await openModels(backend);
  await screen.findByTestId('download');
  const reason = 'The Hub could not be reached.';
  backend.list([{ ...running, state: 'queued', reason }]);
  expect(await screen.findByText(reason)).not.toHaveClass('problem');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.getByTestId('announced')).toHaveTextContent(`The download of google/gemma-4-E2B-it waits: ${reason}`);
  expect(screen.getByTestId('announced-failure')).toHaveTextContent(/^$/);
  await user.click(screen.getByRole('button', { name: 'Try google/gemma-4-E2B-it now' }));
  expect(await screen.findByText('waits for its turn')).toBeInTheDocument();
  expect(backend.jobs[0]!.reason).toBeNull();
  await waitFor(() => expect(screen.getByRole('button', { name: /^Pause/ })).toHaveFocus());
  await user.keyboard('{Enter}');
  expect(await screen.findByRole('button', { name: /^Resume/ })).toHaveFocus();
  backend.list([{ ...running, state: 'queued', reason: 'The network is switched off.', code: 'goOnline' }]);
  expect(await screen.findByText('The network is switched off.')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /^Try/ })).not.toBeInTheDocument();
});

test('a failed download says why, and can go on', async () => {
  const backend = new ScriptedBackend();
  backend.jobs = [download({ id: 1, state: 'failed', reason: 'The Hub sent other content than it listed.' })];
  const user = await openModels(backend);
  expect((await row()).getByText('The Hub sent other content than it listed.')).toBeInTheDocument();
  backend.failing.set('resumeDownload', 'Another download brings the same by now.');
  await user.click((await row()).getByRole('button', { name: /^Resume/ }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Another download brings the same by now.');
});

test('a download that is done is in the list, and the first target is picked', async () => {
  const backend = new ScriptedBackend();
  backend.jobs = [running];
  await openModels(backend);
  await screen.findByTestId('download');
  backend.registered = [model({ id: 'new', role: 'target', folder: '/data/checkpoints/new', source: 'downloaded' })];
  backend.list([{ ...running, state: 'done', model: 'new' }]);
  expect(await screen.findByTestId('model')).toBeInTheDocument();
  await waitFor(() => expect(backend.kept.target).toBe('new'));
  backend.failing.set('models', 'The list was read again for nothing.');
  backend.list([...backend.jobs, { ...running, id: 2 }]);
  expect(await screen.findByTestId('downloading')).toBeInTheDocument();
  expect(screen.queryByText('The list was read again for nothing.')).not.toBeInTheDocument();
});
