// What the tests of Discover begin with.
import { screen } from '@testing-library/svelte';
import type { ScriptedBackend } from '../scripted/backend';
import { hit, offer } from '../scripted/hub';
import type { Discovered } from '../src/lib/backend/backend';
import { backendWithModels, openModels } from './window';

export async function openDiscover(backend: ScriptedBackend) {
  const user = await openModels(backend);
  await user.click(screen.getByRole('button', { name: 'Discover' }));
  return user;
}

export const search = () => screen.getByRole('searchbox', { name: 'Search the Hub' });
export const found = (...hits: Discovered['hits']): Discovered => ({ hits, next: null });

/** A backend whose Hub has one drafter, which suits the target that is here. */
export function backendWithHub() {
  const backend = backendWithModels();
  backend.pages.set('dspark', found(hit));
  backend.offers.set(hit.repo, offer);
  return backend;
}

export async function openOffer(backend: ScriptedBackend) {
  const user = await openDiscover(backend);
  await user.type(search(), 'dspark');
  await user.click(await screen.findByTestId('hit'));
  return user;
}
