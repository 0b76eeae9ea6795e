import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { model } from '../scripted/samples';
import { backendWithModels, open } from './window';

async function openSettings(backend = backendWithModels()) {
  const user = await open(backend);
  await user.keyboard('{Control>},{/Control}');
  await screen.findByRole('button', { name: 'Save a report…' });
  return { backend, user };
}

test('the memory that stays free is set in gigabytes, and can be the usual again', async () => {
  const { backend, user } = await openSettings();
  const field = await screen.findByRole('spinbutton', { name: 'Leave free' });
  expect(field).toHaveValue(5.2);
  await user.clear(field);
  await user.type(field, '8{Tab}');
  await waitFor(() => expect(backend.reserved.set).toBe(8_000_000_000));
  await user.click(await screen.findByRole('button', { name: 'Use the usual 5.2 GB' }));
  await waitFor(() => expect(backend.reserved.set).toBeNull());
});

test('light or dark is chosen here', async () => {
  const { backend, user } = await openSettings();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Light or dark' }), 'Dark');
  await waitFor(() => expect(backend.worn).toBe('dark'));
  expect(screen.getByRole('combobox', { name: 'Light or dark' })).toHaveValue('dark');
});

test('what lies where is told, and told anew when the trash is emptied', async () => {
  const backend = backendWithModels();
  backend.trashed = [{ model: model({ id: 'old', role: 'drafter', folder: '/models/old' }), until: 0 }];
  const { user } = await openSettings(backend);
  expect(await screen.findByText('540 MB')).toBeInTheDocument();
  backend.disk = { ...backend.disk, trash: 0 };
  await user.click(screen.getByText('Trash (1)'));
  await user.click(screen.getByRole('button', { name: 'Empty trash…' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('0 bytes')).toBeInTheDocument();
});

test('a saved report says where it is, and a dismissed dialog changes nothing', async () => {
  const { backend, user } = await openSettings();
  await user.click(screen.getByRole('button', { name: 'Save a report…' }));
  expect(screen.queryByText(/^Saved as/)).toBeNull();
  backend.reportedTo = '/desk/slipstream report.json';
  await user.click(screen.getByRole('button', { name: 'Save a report…' }));
  expect(await screen.findByText('Saved as /desk/slipstream report.json.')).toBeInTheDocument();
});

test('what cannot be read or set says why', async () => {
  const backend = backendWithModels();
  backend.failing.set('about', 'The machine says nothing.');
  backend.failing.set('setAppearance', 'The appearance cannot be kept: the disk is full.');
  const { user } = await openSettings(backend);
  expect(await screen.findByText('The machine says nothing.')).toBeInTheDocument();
  backend.failing.delete('about');
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Apple M4 Pro')).toBeInTheDocument();
  const choice = screen.getByRole('combobox', { name: 'Light or dark' });
  await user.selectOptions(choice, 'Dark');
  expect(await screen.findByText(/^The appearance cannot be kept/)).toBeInTheDocument();
});

test('the window comes back where it was', async () => {
  const backend = backendWithModels();
  const { user } = await openSettings(backend);
  await user.click(screen.getByRole('button', { name: /^Models/ }));
  await user.click(screen.getByRole('button', { name: 'Discover' }));
  await waitFor(() => expect(backend.kept).toMatchObject({ view: 'models', shelf: 'discover' }));
});

test('it opens in the view that was open last, and in the first if there is no such view', async () => {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, view: 'models', shelf: 'discover' };
  await open(backend);
  expect(screen.getByRole('searchbox', { name: 'Search the Hub' })).toBeInTheDocument();
});

test('a view of another release is the first', async () => {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, view: 'dreams' };
  await open(backend);
  expect(screen.getByRole('main', { name: 'Chat' })).toBeInTheDocument();
});
