/**
 * Images of which several are decoded at the same time, and large ones, of which one is. Together they need at most 768 MiB
 * with the default limits. A limit becomes 1 when the memory has not sufficed.
 */
const lane = limit => ({ limit, busy: 0, waiting: [] });
export const turns = { small: lane(4), large: lane(1) };

/** The maximum number of pixels of a small image. */
export const largestSmall = 2 ** 24;

/**
 * Resolves when fewer than the limit of the lane have a turn. Then the waiting caller with the lowest `rank()` is
 * next: an array of numbers, of which the first ones that differ decide.
 */
export async function takeTurn(lane, rank) {
  if (lane.busy < lane.limit) lane.busy += 1;
  else await new Promise(go => lane.waiting.push({ go, rank }));
}

const precedes = (a, b) => {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index >= 0 && a[index] < b[index];
};

export function endTurn(lane) {
  if (!lane.waiting.length || lane.busy > lane.limit) return void (lane.busy -= 1);
  const ranks = lane.waiting.map(({ rank }) => rank());
  const next = ranks.reduce((best, rank, index) => precedes(rank, ranks[best]) ? index : best, 0);
  lane.waiting.splice(next, 1)[0].go();
}
