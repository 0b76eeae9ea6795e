import { screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { hit, pairs } from '../scripted/hub';
import { model } from '../scripted/samples';
import { size } from '../src/lib/discover/suits';
import { backendWithHub, found, openDiscover, search } from './hub';

test('drafters are looked for that may be for one target', async () => {
  const backend = backendWithHub();
  const e2b = model({ id: 'e', role: 'target', folder: '/models/gemma-4-E2B-it-4bit' });
  backend.registered = [...backend.registered, e2b];
  backend.pairs = pairs;
  const other = { ...hit, repo: 'ada/dspark', baseModels: ['google/gemma-4-E2B-it'] };
  backend.pages.set('dspark', found(hit, other));
  const user = await openDiscover(backend);
  expect(await screen.findAllByTestId('pair')).toHaveLength(3);
  await user.click(screen.getByRole('button', { name: 'Targets' }));
  expect(screen.queryByTestId('pair')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'google/gemma-4-12B-it' })).toBeInTheDocument();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Drafters for' }), 'gemma-4-E2B-it-4bit');
  expect(screen.getAllByTestId('pair')).toHaveLength(2);
  expect(screen.queryByRole('button', { name: 'google/gemma-4-E2B-it' })).not.toBeInTheDocument();
  await user.type(search(), 'dspark');
  expect(await screen.findByTestId('hit')).toHaveTextContent('ada/dspark');
  expect(screen.getByText(/1 other may be for other targets/)).toBeInTheDocument();
  expect(backend.searches.at(-1)!.wanted).toBe('drafters');
});

test('a name says which Gemma it is for, and how large', () => {
  const names = ['google/gemma-4-E2B-it', 'dspark_gemma4_12b_block7', 'Gemma 4 26B-A4B, 25 billion', 'ada/gemma-3n-E4B', 'gemma-3-270m'];
  expect(names.map(size)).toEqual(['4 e2b', '4 12b', '4 26b', '3 e4b', '3 270m']);
  expect(size('ada/llama-3-8b')).toBeNull();
});

test('the target that drafters were looked for takes its filter with it', async () => {
  const backend = backendWithHub();
  backend.pairs = pairs;
  const user = await openDiscover(backend);
  const choice = () => screen.getByRole('combobox', { name: 'Drafters for' });
  await user.selectOptions(choice(), 'gemma-3-270m-it');
  expect(await screen.findByText(/None of them is for this target/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Your models' }));
  await user.click(await screen.findByRole('button', { name: 'Remove gemma-3-270m-it' }));
  await screen.findByTestId('removed');
  await user.click(screen.getByRole('button', { name: 'Discover' }));
  expect(choice()).toHaveDisplayValue('any target');
  expect(screen.queryByText(/By names and tags/)).not.toBeInTheDocument();
  expect(await screen.findAllByTestId('pair')).toHaveLength(3);
});
