import type { Enrollment } from '../db/models/enrollment.js';
import type { Import } from '../db/models/import.js';
import { presentCurrentWithDates } from './enrollment.js';
import { presentImportSummary } from './import.js';

/** An overview as the service gives it: its imports and enrollments are still entities. */
interface Entities {
  imports?: readonly Import[];
  current?: readonly Enrollment[];
}

/** What an overview shows in their place. */
interface Presented {
  imports?: ReturnType<typeof presentImportSummary>[];
  current?: ReturnType<typeof presentCurrentWithDates>[];
}

/** The figures of an overview: what entities there are in it as the API shows them. */
export function presentOverview<T extends object>(overview: T & Entities): Omit<T, keyof Entities> & Presented {
  const { imports, current, ...figures } = overview;
  return {
    ...figures,
    ...(imports && { imports: imports.map(presentImportSummary) }),
    ...(current && { current: current.map(presentCurrentWithDates) }),
  };
}
