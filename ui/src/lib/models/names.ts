import type { Model } from '../backend/backend';

function parts(folder: string): string[] {
  return folder.split(/[\\/]+/).filter((part) => part !== '');
}

/** The last part of the folder, with its parent in front where two models would read the same. One has none. */
export function namesOf(models: readonly Model[]): Map<string, string> {
  const last = ({ folder }: Model) => (folder === null ? 'Lookup (no model)' : (parts(folder).at(-1) ?? folder));
  const names = new Map<string, string>();
  for (const model of models) {
    const twin = models.some((other) => other.id !== model.id && other.role === model.role && last(other) === last(model));
    names.set(model.id, twin && model.folder !== null ? parts(model.folder).slice(-2).join('/') : last(model));
  }
  return names;
}
