import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { hit, offer, pair } from '../scripted/hub';
import { type Discovered, Refusal } from '../src/lib/backend/backend';
import { obstacle } from '../src/lib/discover/words';
import { backendWithHub, found, openDiscover, openOffer, search } from './hub';
import { backendWithModels, openModels } from './window';

test('before anything is typed the known pairs are shown, with whose figures they are', async () => {
  const backend = new ScriptedBackend();
  backend.pairs = [pair];
  await openDiscover(backend);
  const row = within(await screen.findByTestId('pair'));
  expect(row.getByText('τ 3.42 on GSM8K, bonus included; measured by the publisher')).toBeInTheDocument();
  expect(backend.searches).toEqual([]);
});

test('the Hub is asked once for what was typed, and says what it has', async () => {
  const backend = backendWithHub();
  const user = await openDiscover(backend);
  await user.type(search(), 'dspark');
  const row = await screen.findByTestId('hit');
  expect(row).toHaveTextContent(/looks like a drafter · apache-2\.0 · gated · 1,234 downloads a month/);
  expect(backend.searches).toEqual([{ text: 'dspark', wanted: 'all', cursor: null }]);
  await user.click(screen.getByRole('button', { name: 'Targets' }));
  await waitFor(() => expect(backend.searches.at(-1)!.wanted).toBe('targets'));
});

test('a late answer never replaces that to a newer question', async () => {
  const backend = new ScriptedBackend();
  let late: (page: Discovered) => void = () => {};
  backend.pages.set('old', new Promise((resolve) => (late = resolve)));
  backend.pages.set('new', found({ ...hit, repo: 'ada/new' }));
  const user = await openDiscover(backend);
  await user.type(search(), 'old');
  await waitFor(() => expect(backend.searches).toHaveLength(1));
  await user.clear(search());
  await user.type(search(), 'new');
  expect(await screen.findByText('ada/new')).toBeInTheDocument();
  late(found({ ...hit, repo: 'ada/old' }));
  await new Promise((resolve) => setTimeout(resolve));
  expect(screen.getByTestId('hit')).toHaveTextContent('ada/new');
});

test('more of a long list is asked for where the page ended', async () => {
  const backend = backendWithHub();
  backend.pages.set('dspark', { hits: [hit], next: 'page 2' });
  backend.pages.set('page 2', found({ ...hit, repo: 'ada/second' }));
  const user = await openDiscover(backend);
  await user.type(search(), 'dspark');
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await waitFor(() => expect(screen.getAllByTestId('hit')).toHaveLength(2));
  expect(screen.queryByRole('button', { name: 'More' })).not.toBeInTheDocument();
});

test('a repo that comes twice is listed once', async () => {
  const backend = backendWithHub();
  backend.pages.set('dspark', { hits: [hit, hit], next: 'page 2' });
  backend.pages.set('page 2', found({ ...hit, repo: hit.repo.toUpperCase() }, { ...hit, repo: 'ada/second' }));
  const user = await openDiscover(backend);
  await user.type(search(), 'dspark');
  expect(await screen.findByText('1 repo so far.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'More' }));
  expect(await screen.findByText('2 repos.')).toBeInTheDocument();
  expect(screen.getAllByTestId('hit')).toHaveLength(2);
});

test('a page that fails leaves what was found, and is asked for again where it was', async () => {
  const backend = backendWithHub();
  backend.pages.set('dspark', { hits: [hit], next: 'page 2' });
  backend.pages.set('page 2', found({ ...hit, repo: 'ada/second' }));
  const user = await openDiscover(backend);
  await user.type(search(), 'dspark');
  const more = await screen.findByRole('button', { name: 'More' });
  backend.failing.set('discover', 'The Hub does not answer.');
  await user.click(more);
  expect(await screen.findByText('The Hub does not answer.')).toBeInTheDocument();
  expect(screen.getByTestId('hit')).toBeInTheDocument();
  backend.failing.clear();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(screen.getAllByTestId('hit')).toHaveLength(2));
  expect(backend.searches.map(({ cursor }) => cursor)).toEqual([null, 'page 2', 'page 2']);
});

test('nothing found, a Hub that fails, and one that may not be asked each say what to do', async () => {
  const backend = new ScriptedBackend();
  const user = await openDiscover(backend);
  await user.type(search(), 'zebra');
  expect(await screen.findByText('Nothing was found. Try a shorter name.')).toBeInTheDocument();
  backend.failing.set('discover', 'The Hub does not answer.');
  await user.type(search(), 's');
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  const message = 'Offline: the search needs the network, which is switched off.';
  backend.failing.set('discover', new Refusal({ code: 'goOnline', message }));
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(`${message} Switch Offline off under Access below to search.`)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument();
  backend.failing.clear();
  backend.pages.set('zebras', found(hit));
  const offline = screen.getByRole('checkbox', { name: /^Offline/ });
  await user.click(offline);
  expect(await screen.findByText(/^Offline: the Hub is not asked\./)).toBeInTheDocument();
  await user.click(offline);
  expect(await screen.findByTestId('hit')).toBeInTheDocument();
  expect(screen.queryByText(/^Offline: the Hub is not asked\./)).not.toBeInTheDocument();
});

test('an offer says what it is, what it takes and whom it suits, and is downloaded', async () => {
  const backend = backendWithHub();
  const user = await openOffer(backend);
  const view = within(await screen.findByTestId('offer'));
  expect(await view.findByText('500 MB in 3 files, 400 MB to fetch')).toBeInTheDocument();
  expect(view.getByText('gemma-3-270m-it')).toBeInTheDocument();
  expect(view.getByText(/^gemma-3-270m: .*2560/)).toBeInTheDocument();
  expect(view.getByText('pytorch_model.bin: a format that is not read')).not.toBeVisible();
  await user.click(view.getByRole('button', { name: 'Download 400 MB' }));
  expect(await screen.findByTestId('download')).toHaveAttribute('data-state', 'queued');
  expect(view.getByTestId('obstacle')).toHaveTextContent('It is on its way.');
  expect(view.getByRole('button', { name: 'Download 400 MB' })).toBeDisabled();
});

test('a gated repo leads to its page, and takes a token that is never shown again', async () => {
  const backend = backendWithHub();
  backend.offers.set(hit.repo, { ...offer, gated: 'auto' });
  const user = await openOffer(backend);
  await user.click(await screen.findByRole('button', { name: `Open ${offer.page} in the browser` }));
  expect(backend.opened).toEqual([hit.repo]);
  const field = within(screen.getByTestId('offer')).getByLabelText('Token of your account on the Hub');
  expect(field).toHaveAttribute('type', 'password');
  await user.type(field, 'hf_secret{Enter}');
  await waitFor(() => expect(backend.tokens).toEqual(['hf_secret']));
  expect(await screen.findByTestId('token')).toHaveTextContent('keychain');
  expect(document.body.innerHTML).not.toContain('hf_secret');
  await user.click(screen.getByRole('button', { name: 'Forget token' }));
  expect(await screen.findByTestId('token')).toHaveTextContent(/^No token/);
});

test('a repo that is not shown to everybody asks for a token, and Escape leads back', async () => {
  const backend = backendWithHub();
  backend.failing.set('offer', new Refusal({ code: 'enterToken', message: 'The Hub does not show ada/drafter to everybody.' }));
  const user = await openOffer(backend);
  const view = within(await screen.findByTestId('offer'));
  expect(await view.findByRole('alert')).toHaveTextContent('The Hub does not show ada/drafter to everybody.');
  expect(view.getByLabelText('Token of your account on the Hub')).toBeInTheDocument();
  await user.keyboard('{Escape}');
  expect(await screen.findByTestId('hit')).toBeInTheDocument();
});

test('who comes back from an offer is where they left', async () => {
  const user = await openOffer(backendWithHub());
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.getByTestId('hit')).toHaveFocus());
});

test('a token of the wrong account can be replaced where the files cannot be read', async () => {
  const backend = backendWithHub();
  backend.status = { ...backend.status, token: 'keychain' };
  backend.offers.set(hit.repo, { ...offer, gated: 'auto', judgement: null, unknown: 'It is gated.', code: 'acceptLicence' });
  await openOffer(backend);
  const view = within(await screen.findByTestId('offer'));
  expect(await view.findByLabelText('Token of your account on the Hub')).toBeInTheDocument();
  expect(view.getByRole('button', { name: `Open ${offer.page} in the browser` })).toBeInTheDocument();
});

test('a repo that is refused has its page all the same', async () => {
  const backend = backendWithHub();
  backend.failing.set('offer', new Refusal({ code: 'acceptLicence', message: 'It is gated.' }));
  const user = await openOffer(backend);
  await user.click(await screen.findByRole('button', { name: 'Open its page in the browser' }));
  expect(backend.opened).toEqual([hit.repo]);
});

test('an offer and the list of hits know what has arrived meanwhile', async () => {
  const backend = backendWithHub();
  const user = await openOffer(backend);
  await user.click(await screen.findByRole('button', { name: 'Download 400 MB' }));
  backend.registered.push({ ...backend.registered[2]!, id: 'new', repo: hit.repo });
  const here = { folder: '/f', source: 'downloaded', whole: true, model: 'new' } as const;
  backend.offers.set(hit.repo, { ...offer, here });
  backend.list([{ ...backend.jobs[0]!, state: 'done', model: 'new' }]);
  await waitFor(() => expect(screen.getByTestId('obstacle')).toHaveTextContent('It is in the list already.'));
  await user.keyboard('{Escape}');
  expect(await screen.findByTestId('hit')).toHaveTextContent(/here as /);
});

test('of what another program has there can be a copy that Slipstream repairs', async () => {
  const backend = backendWithHub();
  const here = { folder: '/f', source: 'huggingFaceCache', whole: true, model: backend.registered[0]!.id } as const;
  backend.offers.set(hit.repo, { ...offer, here });
  const user = await openOffer(backend);
  expect(await screen.findByRole('button', { name: 'Add to the list' })).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Get a copy that Slipstream can repair' }));
  expect(await screen.findByTestId('download')).toHaveTextContent(hit.repo);
});

test('Offline shows what is, also when it cannot be changed', async () => {
  const backend = new ScriptedBackend();
  backend.failing.set('setOffline', 'The database is locked.');
  const user = await openDiscover(backend);
  const box = await screen.findByRole('checkbox', { name: /^Offline/ });
  await user.click(box);
  expect(await screen.findByText('The database is locked.')).toBeInTheDocument();
  expect(box).not.toBeChecked();
  backend.status = { ...backend.status, offline: true, keptOffline: true };
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('checkbox', { name: /set by HF_HUB_OFFLINE/ })).toBeDisabled();
  expect(screen.getByRole('checkbox', { name: /^Offline/ })).toBeChecked();
});

test('what cannot be got says why', () => {
  const here = { folder: '/f', source: 'lmStudio', whole: true, model: null } as const;
  expect(obstacle(offer, false, 'none')).toBeNull();
  expect(obstacle({ ...offer, here }, false, 'none')).toBeNull();
  expect(obstacle({ ...offer, here: { ...here, model: 'd' } }, false, 'none')).toBe('It is in the list already.');
  expect(obstacle(offer, true, 'none')).toBe('It is on its way.');
  const gated = { ...offer, gated: 'auto' } as const;
  expect(obstacle(gated, false, 'none')).toBe('It is gated: enter a token of an account that may have it.');
  expect(obstacle(gated, false, 'file')).toBeNull();
  expect(obstacle({ ...offer, unknown: 'It is a GGUF.' }, false, 'none')).toBe('It is a GGUF.');
  expect(obstacle({ ...offer, free: 1 }, false, 'none')).toBe('It takes 400 MB on the disk, and 1 bytes are free. Make some room first.');
});

test('what other programs have is added where it lies', async () => {
  const backend = new ScriptedBackend();
  const folder = '/data/lmstudio/models/google/gemma-3-270m-it';
  const place = { repo: 'google/gemma-3-270m-it', commit: null, bytes: 5e8, model: null } as const;
  backend.elsewhere = [
    { ...place, source: 'lmStudio', folder, role: 'target', unusable: null },
    { ...place, source: 'lmStudio', folder, role: 'target', unusable: null },
    { ...place, source: 'huggingFaceCache', folder: '/cache/torn', role: null, unusable: 'model.safetensors is missing.' },
  ];
  backend.folders.set(folder, { ...backendWithModels().registered[0]!, folder });
  const user = await openModels(backend);
  expect(await screen.findByText('Cannot be used: model.safetensors is missing.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Add google/gemma-3-270m-it' }));
  await waitFor(() => expect(screen.getAllByTestId('found')).toHaveLength(1));
  await waitFor(() => expect(screen.getByTestId('model')).toHaveFocus());
  backend.failing.set('found', 'Other programs were asked again.');
  await user.click(screen.getByRole('button', { name: 'Discover' }));
  await user.click(screen.getByRole('button', { name: 'Your models' }));
  expect(await screen.findByTestId('found')).toBeInTheDocument();
  backend.failing.clear();
  backend.elsewhere = [];
  await user.click(screen.getByRole('button', { name: 'Look again' }));
  expect(await screen.findByText(/^No models in the folders of other programs\./)).toBeInTheDocument();
  expect(screen.getByTestId('model')).toBeInTheDocument();
  await waitFor(() => expect(backend.kept.target).toBe('t'));
});
