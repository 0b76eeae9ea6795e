// Where the keyboard is once what it was on has gone.
import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { hit, offer } from '../scripted/hub';
import { download, model } from '../scripted/samples';
import { type Got, Refusal } from '../src/lib/backend/backend';
import { Chosen } from '../src/lib/discover/chosen.svelte';
import { backendWithHub, found, openDiscover, openOffer, search } from './hub';
import { backendWithModels, openModels, target } from './window';

const isOn = (element: () => HTMLElement) => waitFor(() => expect(element()).toHaveFocus());
const button = (name: string) => screen.getByRole('button', { name });
const field = () => screen.getByRole('searchbox', { name: 'Search your models' });
const many = (most: number) =>
  Array.from({ length: most }, (_, index) => model({ id: `m${100 + index}`, role: 'target', folder: `/models/gemma-${100 + index}` }));

/** What a command comes to once `end` is called. */
function held<T>(value: T | Error) {
  let end = () => {};
  const answer = new Promise<T>((resolve, reject) => {
    end = () => (value instanceof Error ? reject(value) : resolve(value));
  });
  return { answer, end: () => end() };
}

/** As a browser takes the keyboard from a button that is disabled. */
const blur = () => (document.activeElement as HTMLElement).blur();

test('a restored model takes the keyboard, and where it is not in sight the search field does', async () => {
  const backend = new ScriptedBackend();
  backend.registered = many(60);
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Remove gemma-100' }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await isOn(() => screen.getAllByTestId('model')[0]!);
  expect(screen.getAllByTestId('model')[0]).toHaveAttribute('data-model', 'm100');
  await user.type(field(), 'gemma-1');
  await user.click(screen.getByRole('button', { name: 'Remove gemma-101' }));
  await user.clear(field());
  await user.type(field(), 'gemma-102');
  await user.click(button('Undo'));
  await isOn(field);
  expect(screen.queryByTestId('removed')).not.toBeInTheDocument();
});

test('the trash gives the keyboard on when it restores, when it is empty, and when it cannot be emptied', async () => {
  const backend = backendWithModels();
  backend.trashed = ['x', 'y'].map((id) => ({ model: { ...target, id, folder: `/old/${id}` }, until: 0 }));
  const user = await openModels(backend);
  await user.click(await screen.findByText('Trash (2)'));
  await user.click(button('Restore x'));
  await isOn(() => document.querySelector<HTMLElement>('[data-model=x]')!);
  backend.failing.set('emptyTrash', 'The database is locked.');
  await user.click(button('Empty trash…'));
  await user.click(button('Delete'));
  await isOn(() => button('Empty trash…'));
  backend.failing.clear();
  await user.keyboard('{Enter}');
  await user.click(button('Delete'));
  await isOn(() => screen.getByRole('heading', { name: 'Models' }));
});

test('what is found keeps the keyboard when it cannot be added, and while it is looked for again', async () => {
  const backend = backendWithModels();
  const place = { repo: 'ada/one', commit: null, bytes: 1, model: null, source: 'lmStudio', role: 'target', unusable: null } as const;
  backend.elsewhere = [{ ...place, folder: '/f/one' }];
  const adding = held<never>(new Error('The disk does not answer.'));
  backend.addModel = () => adding.answer;
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'Add ada/one' }));
  blur();
  adding.end();
  expect(await screen.findByText('The disk does not answer.')).toBeInTheDocument();
  await isOn(() => button('Add ada/one'));
  await user.click(button('Look again'));
  await isOn(() => button('Look again'));
});

test('the last More leads to the first row that it brought', async () => {
  const backend = backendWithHub();
  backend.registered = many(60);
  backend.pages.set('dspark', { hits: [hit], next: 'page 2' });
  backend.pages.set('page 2', found({ ...hit, repo: 'ada/second' }));
  const user = await openModels(backend);
  await user.click(await screen.findByRole('button', { name: 'More targets' }));
  await isOn(() => screen.getAllByTestId('model')[50]!);
  await user.click(button('Discover'));
  await user.type(search(), 'dspark');
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await isOn(() => screen.getAllByTestId('hit')[1]!);
});

test('nobody who has gone somewhere else meanwhile is called back', async () => {
  const backend = backendWithHub();
  backend.pages.set('dspark', { hits: [hit], next: 'page 2' });
  const second = held(found({ ...hit, repo: 'ada/second' }));
  backend.pages.set('page 2', second.answer);
  const user = await openDiscover(backend);
  await user.type(search(), 'dspark');
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(button('Targets'));
  second.end();
  await new Promise((resolve) => setTimeout(resolve));
  expect(button('Targets')).toHaveFocus();
});

test('an offer that cannot be got gives the keyboard back to the button, and one that comes to Back', async () => {
  const backend = backendWithHub();
  const refused = held<Got>(new Refusal({ code: null, message: 'The database is locked.' }));
  const coming = held<Got>({ kind: 'coming', download: download({ id: 1, state: 'queued', repo: offer.repo }) });
  const answers = [refused.answer, coming.answer];
  backend.get = () => answers.shift()!;
  const user = await openOffer(backend);
  const get = await screen.findByRole('button', { name: 'Download 400 MB' });
  await user.click(get);
  expect(get).toBeDisabled();
  blur();
  refused.end();
  expect(await screen.findByText('The database is locked.')).toBeInTheDocument();
  await isOn(() => get);
  await user.keyboard('{Enter}');
  blur();
  coming.end();
  await isOn(() => button('Back'));
  expect(get).toBeDisabled();
});

test('a copy is got once, if there is room, and leaves the keyboard at Back', async () => {
  const backend = backendWithHub();
  const here = { folder: '/f', source: 'huggingFaceCache', whole: true, model: 't' } as const;
  backend.offers.set(hit.repo, { ...offer, here, free: 1 });
  const user = await openOffer(backend);
  const copy = () => button('Get a copy that Slipstream can repair');
  await waitFor(() => expect(copy()).toBeDisabled());
  expect(screen.getByTestId('copy-obstacle')).toHaveTextContent(/^The copy: It takes 400 MB on the disk/);
  backend.offers.set(hit.repo, { ...offer, here });
  await user.click(button('Look'));
  await waitFor(() => expect(copy()).toBeEnabled());
  backend.failing.set('get', 'The database is locked.');
  await user.click(copy());
  expect(await screen.findByText('The database is locked.')).toBeInTheDocument();
  await isOn(copy);
  backend.failing.clear();
  await user.keyboard('{Enter}');
  await isOn(() => button('Back'));
  expect(copy()).toBeDisabled();
  expect(screen.getByTestId('copy-obstacle')).toHaveTextContent('The copy: It is on its way.');
  backend.offers.set(hit.repo, { ...offer, here: { ...here, folder: '/data/own', source: 'downloaded', model: 'own' } });
  backend.list([{ ...backend.jobs[0]!, state: 'done', model: 'own' }]);
  await waitFor(() => expect(screen.queryByTestId('copy')).not.toBeInTheDocument());
});

test('a failure to get something is not said of what is looked at by then', async () => {
  const backend = new ScriptedBackend();
  for (const repo of ['ada/one', 'ada/two']) backend.offers.set(repo, { ...offer, repo });
  const getting = held<Got>(new Error('The disk is full.'));
  backend.get = () => getting.answer;
  const chosen = new Chosen(backend);
  chosen.open('ada/one');
  await waitFor(() => expect(chosen.offer).not.toBeNull());
  const got = chosen.get(false);
  chosen.close();
  chosen.open('ada/two');
  getting.end();
  expect(await got).toBeNull();
  expect(chosen.failure).toBeNull();
  expect(chosen.getting).toBe(false);
});
