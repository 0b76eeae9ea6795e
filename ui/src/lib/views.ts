// The parts of the window, in the order of the sidebar.
export const views = [
  { view: 'chat', title: 'Chat', key: '1' },
  { view: 'models', title: 'Models', key: '2' },
  { view: 'compare', title: 'Compare', key: '3' },
  { view: 'calibrate', title: 'Calibrate', key: '4' },
  { view: 'train', title: 'Train', key: '5' },
  { view: 'settings', title: 'Settings', key: '6' },
] as const;

export type View = (typeof views)[number]['view'];

/** The parts of the models view. */
export const shelves = [
  { shelf: 'here', title: 'Your models' },
  { shelf: 'discover', title: 'Discover' },
] as const;

export type Shelf = (typeof shelves)[number]['shelf'];

/** The view of that name, or the first: another release may have had others. */
export function viewOf(name: string | null): View {
  return views.find(({ view }) => view === name)?.view ?? 'chat';
}

export function shelfOf(name: string | null): Shelf {
  return shelves.find(({ shelf }) => shelf === name)?.shelf ?? 'here';
}
