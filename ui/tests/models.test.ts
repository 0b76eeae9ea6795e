import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { details, model } from '../scripted/samples';
import type { Model } from '../src/lib/backend/backend';
import { Models } from '../src/lib/models/models.svelte';
import { namesOf } from '../src/lib/models/names';
import { backendWithModels, drafter, lookup, open, openModels, target } from './window';

const folder = () => screen.getByRole('textbox', { name: 'Folder' });
const add = () => screen.getByRole('button', { name: 'Add' });

test('an empty list says what to do', async () => {
  await openModels(new ScriptedBackend());
  expect(await screen.findByText(/No target yet\. Add a folder with a Gemma checkpoint/)).toBeInTheDocument();
  expect(screen.getByText(/No drafter yet/)).toBeInTheDocument();
});

test('a folder is added by its path, and the first target is picked', async () => {
  const backend = new ScriptedBackend();
  backend.folders.set(target.folder!, target);
  const user = await openModels(backend);
  await user.type(folder(), ` ${target.folder} `);
  await user.click(add());
  const row = within(await screen.findByTestId('model'));
  expect(row.getByRole('heading')).toHaveTextContent('gemma-3-270m-it');
  expect(row.getByText('Gemma 3, 18 layers × 640, 268 million parameters, bfloat16')).toBeInTheDocument();
  expect(row.getByText('536 MB')).toBeInTheDocument();
  expect(folder()).toHaveValue('');
  await waitFor(() => expect(backend.kept.target).toBe('t'));
});

test('a chosen folder is added', async () => {
  const backend = new ScriptedBackend();
  backend.folders.set(drafter.folder!, drafter);
  backend.chosenFolder = drafter.folder;
  const user = await openModels(backend);
  await user.click(screen.getByRole('button', { name: 'Choose…' }));
  expect(await screen.findByText('γ 5, 2 layers × 640, Markov head, bfloat16')).toBeInTheDocument();
});

test('a folder that cannot be added stays in the field with the sentence', async () => {
  const backend = new ScriptedBackend();
  backend.refusal = 'model.safetensors ends after 12 of 400 bytes.';
  const user = await openModels(backend);
  await user.type(folder(), '/models/torn{Enter}');
  expect(await screen.findByTestId('add-failure')).toHaveTextContent(/^model\.safetensors ends after 12 of 400 bytes\.$/);
  expect(folder()).toHaveValue('/models/torn');
});

test('a model says what it needs, and in detail what its files hold', async () => {
  const backend = backendWithModels();
  const skipped = [{ what: 'the vision tower', tensors: 355, bytes: 950_000_000 }];
  backend.looks.set('t', details({ skipped, code: ['modeling_gemma.py'] }));
  backend.looks.set('b', details({ skipped: [...skipped, ...skipped] }));
  const user = await openModels(backend);
  const rows = await screen.findAllByTestId('model');
  expect(screen.queryByText('needs 717 MB of memory')).not.toBeInTheDocument();
  await user.click(within(rows[1]!).getByText('Details'));
  expect(await screen.findAllByText('the vision tower: 355 tensors, 950 MB')).toHaveLength(2);
  await user.click(within(rows[1]!).getByText('Details'));
  await user.click(within(rows[2]!).getByText('Details'));
  expect(await screen.findByText('Nobody has looked at this model.')).toBeVisible();
  await user.click(within(rows[0]!).getByText('Details'));
  expect(await screen.findByText('modeling_gemma.py')).toBeVisible();
  expect(within(rows[0]!).getByText('needs 717 MB of memory')).toBeVisible();
  const row = within(rows[0]!);
  expect(row.getByText('the vision tower: 355 tensors, 950 MB')).toBeVisible();
  expect(row.getByText('536 MB weights, 54 MB caches, 126 MB to work in')).toBeVisible();
  expect(row.getByText('3.1 kB each, and 15 kB for each of the newest 512')).toBeVisible();
});

test('a broken model says what is wrong and cannot be picked', async () => {
  const backend = backendWithModels();
  backend.registered = [{ ...target, broken: 'The folder is gone.' }];
  const user = await openModels(backend);
  expect(await screen.findByText('The folder is gone.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Chat' }));
  expect(screen.getByRole('option', { name: 'gemma-3-270m-it (not readable)' })).toBeDisabled();
  expect(screen.getByRole('combobox', { name: 'Target' })).toHaveDisplayValue('gemma-3-270m-it (not readable)');
  expect(screen.getByText('This target cannot be used at present. Pick another one.')).toBeInTheDocument();
  expect(screen.getByText('The folder is gone. Put it right, or pick another target above.')).toBeInTheDocument();
  backend.registered = [target];
  window.dispatchEvent(new Event('focus'));
  expect(await screen.findByText('Enter sends, Shift Enter starts a new line.')).toBeInTheDocument();
});

test('a list that cannot be read says so and tries again', async () => {
  const backend = backendWithModels();
  backend.failing.set('models', 'The database is locked.');
  const user = await openModels(backend);
  expect(await screen.findByText('The database is locked.')).toBeInTheDocument();
  backend.failing.clear();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findAllByTestId('model')).toHaveLength(3);
});

test('two folders with one name are told apart by their parents', () => {
  const twins = [
    model({ id: 'a', role: 'target', folder: '/one/gemma/' }),
    model({ id: 'b', role: 'target', folder: '/two/gemma' }),
    model({ id: 'c', role: 'drafter', folder: '/two/gemma' }),
  ];
  expect([...namesOf(twins).values()]).toEqual(['one/gemma', 'two/gemma', 'gemma']);
});

test('one repo at two commits or in two places reads differently, whatever it takes', () => {
  const at = (id: string, part: Partial<Model>) => model({ id, role: 'target', folder: `/f/${id}`, repo: 'ada/gemma', ...part });
  const names = (...models: Model[]) => [...namesOf(models).values()];
  const [one, other] = ['1111111aaaa', '2222222bbbb'];
  expect(names(at('a', { commit: one }), at('b', { commit: other }))).toEqual(['ada/gemma @ 1111111', 'ada/gemma @ 2222222']);
  const places = [at('a', { source: 'downloaded', commit: one }), at('b', { source: 'huggingFaceCache', commit: one })];
  expect(names(...places)).toEqual(['ada/gemma (downloaded)', 'ada/gemma (Hugging Face cache)']);
  expect(names(at('a', {}), at('b', {}))).toEqual(['ada/gemma (a)', 'ada/gemma (b)']);
});

test('a long list comes by the page, shows fifty rows at a time, and is searched without asking anybody', async () => {
  const backend = new ScriptedBackend();
  const one = (number: number) => model({ id: `m${number}`, role: 'target', folder: `/models/gemma-${number}`, repo: `ada/name-${number}` });
  backend.registered = [...Array.from({ length: 120 }, (_, number) => one(number)), drafter, lookup];
  backend.perPage = 50;
  const user = await openModels(backend);
  await waitFor(() => expect(screen.getByText('50 of 120')).toBeInTheDocument());
  expect(screen.getAllByTestId('model')).toHaveLength(51);
  expect(backend.looked.flat()).not.toContain('m60');
  await user.click(screen.getByRole('button', { name: 'More targets' }));
  expect(screen.getAllByTestId('model')).toHaveLength(101);
  await waitFor(() => expect(backend.looked.flat()).toContain('m60'));
  await user.type(screen.getByRole('searchbox', { name: 'Search your models' }), 'ADA 119');
  expect(await screen.findByText('1 model')).toBeInTheDocument();
  expect(screen.getByTestId('model')).toHaveTextContent('name-119');
  expect(screen.getByText('None of them matches.')).toBeInTheDocument();
});

test('a drafter that was trained here says where it came from', async () => {
  const backend = backendWithModels();
  const trained = { target: 't (a folder, 9 bytes of weights)', data: '40 prompts: Chat', steps: 1000, of: 2000, startTau: 1.2, bestTau: 2.85, begunAt: 0 };
  for (const { id } of backend.registered) backend.looks.set(id, details({ trained }));
  const user = await openModels(backend);
  await user.click((await screen.findAllByText('Details'))[0]!);
  expect(await screen.findByText('for t (a folder, 9 bytes of weights), on 40 prompts: Chat')).toBeInTheDocument();
  expect(screen.getByText(/^1,000 of 2,000 steps, begun /)).toBeInTheDocument();
  expect(screen.getByText('τ 1.20 → 2.85 on held-out answers, bonus included')).toBeInTheDocument();
});

test('a model that is removed while the list is read does not come back', async () => {
  const backend = new ScriptedBackend();
  backend.registered = [target, drafter];
  backend.perPage = 1;
  const models = new Models(backend);
  await models.load();
  const again = models.load();
  await models.remove('t');
  await again;
  expect(models.all.map(({ id }) => id)).toEqual(['d']);
});

test('a new model stands where the database lists it', () => {
  const models = new Models(new ScriptedBackend());
  models.all = [...['Alpha', 'b_1', 'Delta'].map((id) => model({ id, role: 'target', folder: `/f/${id}` })), lookup];
  for (const id of ['alpha-2', 'B0', 'bx', 'z', 'b_1']) models.put(model({ id, role: 'target', folder: `/f/${id}` }));
  expect(models.all.map(({ id }) => id)).toEqual(['Alpha', 'alpha-2', 'B0', 'b_1', 'bx', 'Delta', 'z', 'lookup']);
});

test('a record that cannot be read is a row with the reason, and can be removed', async () => {
  const backend = backendWithModels();
  backend.damaged = ['odd'];
  const user = await openModels(backend);
  expect(await screen.findByTestId('damaged')).toHaveTextContent(/^odd Its record is damaged/);
  const remove = screen.getByRole('button', { name: 'Remove odd' });
  await user.click(remove);
  expect(screen.getByText(/If Slipstream downloaded it, its files are deleted; any other folder stays\.$/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Keep' }));
  await waitFor(() => expect(remove).toHaveFocus());
  expect(backend.damaged).toEqual(['odd']);
  backend.failing.set('removeModel', 'The database is locked.');
  const insist = async () => {
    await user.keyboard('{Enter}');
    await user.click(screen.getByRole('button', { name: 'Remove' }));
  };
  await insist();
  expect(await screen.findByText('The database is locked.')).toHaveRole('alert');
  await waitFor(() => expect(remove).toHaveFocus());
  backend.failing.clear();
  await insist();
  await waitFor(() => expect(screen.queryByTestId('damaged')).not.toBeInTheDocument());
  expect(backend.damaged).toEqual([]);
  await waitFor(() => expect(screen.getByRole('heading', { name: 'Models' })).toHaveFocus());
});

test('who has no model can chat with those that came with the app', async () => {
  const backend = new ScriptedBackend();
  backend.failing.set('addDemo', 'The disk is full.');
  const user = await open(backend);
  const demo = await screen.findByRole('button', { name: 'Use the demo models' });
  await user.click(demo);
  expect(await screen.findByRole('alert')).toHaveTextContent('The disk is full.');
  backend.failing.clear();
  await user.click(demo);
  expect(await screen.findByRole('heading', { name: 'New chat' })).toBeInTheDocument();
  expect(screen.getByRole('combobox', { name: 'Target' })).toHaveDisplayValue('slipstream-demo');
  expect(screen.getByRole('combobox', { name: 'Drafter' })).toHaveDisplayValue('slipstream-demo-dflash2');
  await user.click(screen.getByRole('button', { name: 'What is Slipstream?' }));
  expect(await screen.findByText('What is Slipstream?', { selector: 'p' })).toBeInTheDocument();
});

test('who has no model is led to Discover from every place that wants one', async () => {
  const user = await open(new ScriptedBackend());
  const isThere = async () => expect(await screen.findByRole('searchbox', { name: 'Search the Hub' })).toHaveFocus();
  await user.click(await screen.findByRole('button', { name: 'Get a model' }));
  await isThere();
  await user.click(screen.getByRole('button', { name: 'Your models' }));
  await user.click(screen.getByRole('button', { name: 'Get a drafter' }));
  await isThere();
  await user.click(screen.getByRole('button', { name: /^Chat/ }));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Drafter' }), 'Get a model…');
  await isThere();
});
