import { describe, expect, it } from 'vitest';
import { createGroupedBatch } from './batch.ts';
import {
  createGroupRotation,
  createLaneGroups,
  fromEachGroup,
  inEachGroup,
} from './lane-groups.ts';

function fourGroups(onFailure?: (error: unknown) => void) {
  const groups = createLaneGroups(onFailure);
  groups.set(Array.from({ length: 256 }, (_, lane) => lane % 4));
  return { groups };
}

describe('work in each lane group', () => {
  it('gets every lane once, and ends in all groups before an error is thrown', async () => {
    const lanesDone: number[] = [];
    const work = inEachGroup(fourGroups(), async (lanes) => {
      if (lanes.includes(1)) throw new Error('shard away');
      await new Promise(setImmediate);
      lanesDone.push(...lanes);
    });
    await expect(work).rejects.toThrow('shard away');
    expect(lanesDone.sort((a, b) => a - b)).toEqual(
      Array.from({ length: 256 }, (_, lane) => lane).filter((lane) => lane % 4 !== 1),
    );
  });
});

describe('a read from each lane group', () => {
  it('skips a group that fails', async () => {
    const firstLanes = await fromEachGroup(fourGroups(), async (lanes) => {
      if (lanes.includes(1)) throw new Error('shard away');
      return [lanes[0]];
    });
    expect(firstLanes).toEqual([0, 2, 3]);
  });

  it('fails if all groups fail', async () => {
    const away = () => Promise.reject(new Error('all away'));
    await expect(fromEachGroup(fourGroups(), away)).rejects.toThrow('all away');
    await expect(fromEachGroup({ groups: createLaneGroups() }, away)).rejects.toThrow('all away');
  });
});

describe('a rotation', () => {
  it('starts one group further each time, and reports a group that fails beside others', async () => {
    const failures: unknown[] = [];
    const inTurn = createGroupRotation(fourGroups((error) => failures.push(error)));
    const away = new Error('shard away');
    const ask = async ({ lanes }: { lanes: readonly number[] }) => {
      if (lanes.includes(1)) throw away;
      return [lanes[0]];
    };
    const starts = [];
    for (let round = 0; round < 4; round++) starts.push((await inTurn(3, ask))[0]);
    // The round that starts with group 1 begins with the next one.
    expect(starts.toSorted()).toEqual([0, 2, 2, 3]);
    expect(new Set(failures)).toEqual(new Set([away]));
  });

  it('throws if nothing was found because a group failed', async () => {
    const inTurn = createGroupRotation(fourGroups());
    const ask = async ({ lanes }: { lanes: readonly number[] }) => {
      if (lanes.includes(1)) throw new Error('shard away');
      return [];
    };
    await expect(inTurn(3, ask)).rejects.toThrow('shard away');
  });
});

describe('a batch by lane', () => {
  it('never mixes groups, and a group without a response delays no other', async () => {
    const batches: number[][] = [];
    const batch = createGroupedBatch<number, number>(fourGroups(), {
      name: 'lanes',
      laneOf: (lane) => lane,
      run: (lanes) => {
        batches.push([...lanes]);
        return lanes.includes(1) ? new Promise(() => {}) : Promise.resolve(lanes);
      },
      itemsMax: 10,
      waitingMax: 10,
      waitMaxMs: 60_000,
      inFlightMax: 1,
    });
    void batch.add(1);
    expect(await Promise.all([4, 2, 0, 6].map((lane) => batch.add(lane)))).toEqual([4, 2, 0, 6]);
    expect(batches).toEqual([[1], [4, 0], [2, 6]]);
  });
});
