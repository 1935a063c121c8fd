// The order in which files run: those of one project together, because a process that is shared by files is kept only
// while the next file is of the same project; and the longest ones first, so that none is left alone at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ORDER = ['process', 'browser', 'database', 'unit', 'dashboard'];

export class ByProject extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const names = new Set([...ORDER, ...sorted.map(({ project }) => project.name)]);
    return [...names].flatMap((name) => sorted.filter(({ project }) => project.name === name));
  }
}
