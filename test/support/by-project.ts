// The order in which test files run: by project, because a shared process is kept only while the
// next file is of the same project, and the longest first, so that none runs alone at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ORDER = ['service', 'unit', 'dashboard'];

export class ByProject extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const names = new Set([...ORDER, ...sorted.map(({ project }) => project.name)]);
    return [...names].flatMap((name) => sorted.filter(({ project }) => project.name === name));
  }
}
