import type { Enrollment } from '../db/models/enrollment.js';
import type { Import } from '../db/models/import.js';
import { presentCurrentWithDates } from './enrollment.js';
import { presentImportSummary } from './import.js';

/** Parts of an overview that are still entities. */
interface Entities {
  imports?: readonly Import[];
  current?: readonly Enrollment[];
}

interface Presented {
  imports?: ReturnType<typeof presentImportSummary>[];
  current?: ReturnType<typeof presentCurrentWithDates>[];
}

/** Presents an overview: converts its entities and keeps its figures. */
export function presentOverview<T extends object>(overview: T & Entities): Omit<T, keyof Entities> & Presented {
  const { imports, current, ...figures } = overview;
  return {
    ...figures,
    ...(imports && { imports: imports.map(presentImportSummary) }),
    ...(current && { current: current.map(presentCurrentWithDates) }),
  };
}
