import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { details, model } from '../scripted/samples';
import { namesOf } from '../src/lib/models/names';
import { backendWithModels, drafter, openModels, target } from './window';

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
  const user = await openModels(backend);
  expect(await screen.findByText('needs 717 MB of memory')).toBeVisible();
  expect(screen.getByText('modeling_gemma.py')).not.toBeVisible();
  await user.click(screen.getByText('Details'));
  expect(screen.getByText('modeling_gemma.py')).toBeVisible();
  expect(screen.getByText('the vision tower: 355 tensors, 950 MB')).toBeVisible();
  expect(screen.getByText('536 MB weights, 54 MB caches, 126 MB to work in')).toBeVisible();
  expect(screen.getByText('3.1 kB each, and 15 kB for each of the newest 512')).toBeVisible();
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
