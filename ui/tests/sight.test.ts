// Of something very long only what is near sight is drawn, where the browser tells what that is.
import { expect, test, vi } from 'vitest';

async function parts(count: number, kept: number) {
  vi.resetModules();
  vi.stubGlobal('ContentVisibilityAutoStateChangeEvent', Event);
  const { Sight } = await import('../src/lib/sight');
  const sight = new Sight(kept);
  const places = Array.from({ length: count }, () => document.body.appendChild(document.createElement('div')));
  places.forEach((place, at) => {
    const draw = () => place.append('drawn');
    sight.add({ place, draw, takeOff: () => place.replaceChildren() }, count - 1 - at, 100);
  });
  const drawn = () => places.flatMap((place, at) => (place.textContent === 'drawn' ? [at] : []));
  const turn = (at: number, skipped: boolean) => {
    places[at]!.dispatchEvent(Object.assign(new Event('contentvisibilityautostatechange'), { skipped }));
  };
  return { sight, places, drawn, turn };
}

test('the end is drawn at first, and what is far is a place as high as it is thought to be', async () => {
  const { places, drawn } = await parts(10, 3);
  expect(drawn()).toEqual([7, 8, 9]);
  expect([places[0]!.style.height, places[9]!.style.height]).toEqual(['100px', '']);
});

test('what comes near is drawn, and what has been far for longest is taken off', async () => {
  const { places, drawn, turn } = await parts(10, 2);
  for (const at of [9, 8]) turn(at, true);
  for (const at of [7, 6, 5, 4]) {
    turn(at, false);
    turn(at, true);
  }
  expect(drawn()).toEqual([4, 5]);
  expect(places[4]!.style.height).toBe('');
});

test('what the keyboard is at stays, and what it goes to is drawn', async () => {
  const { sight, places, drawn, turn } = await parts(10, 1);
  sight.bring(places[2]!);
  places[2]!.innerHTML = '<span aria-selected="true">drawn</span>';
  for (const at of [2, 9, 5]) {
    turn(at, false);
    turn(at, true);
  }
  expect(drawn()).toEqual([2]);
});
