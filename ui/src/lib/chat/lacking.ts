import type { Model } from '../backend/backend';
import type { Models } from '../models/models.svelte';

/** What the models that are picked lack to answer, in a sentence; null if that is nothing. */
export function lacking(models: Models, target: Model | null, drafter: Model | null): string | null {
  const { failure, loading, targets } = models;
  if (failure !== null) return failure;
  if (!target && loading) return 'Looking for models…';
  if (!target) return targets.length > 0 ? 'Pick a target to write to.' : 'Add a target first: the model that answers.';
  if (target.broken !== null) return 'This target cannot be used at present. Pick another one.';
  if (drafter && drafter.broken !== null) return 'This drafter cannot be used at present. Pick another one, or none.';
  return models.misfit(target, drafter) === null ? null : 'This drafter is not for this target. Pick another one, or none.';
}
