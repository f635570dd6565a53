import { type Attributes, Op, type WhereOptions } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import { type Order, rowQuery } from '../../db/sql/page.js';
import {
  type EnrollmentExportField,
  type EnrollmentFilter,
  enrollmentExportFields,
  enrollmentExportSchema,
  trainerEnrollmentExportFields,
  trainerEnrollmentExportSchema,
} from '../../schemas/enrollment.js';
import { validate } from '../../schemas/validate.js';
import type { Table } from '../../tables/write/table.js';
import { certificateJoin } from '../certificates/queries.js';
import type { Actor, Core } from '../core.js';
import { type ExportColumn, exportTable, type OnExported, phoneColumn } from '../exports.js';
import { isNarrow, planEnrollmentSearch } from './queries.js';
import { addWaitingPlaces } from './waiting-places.js';

/** Enrollments per query, which bounds the memory of an export: notes may be long. */
const batch = 200;

/** Ids per query. The database may have to sort all matches for each query. */
const idsPerQuery = 5000;

const order: Order = [['id', 'ASC']];

type Exported = Attributes<Enrollment> & Pick<Enrollment, 'user' | 'course' | 'certificate' | 'waitingPlace'>;

function columnOf(field: EnrollmentExportField): ExportColumn<Exported> {
  switch (field) {
    case 'firstName':
    case 'lastName':
    case 'email':
      return { value: ({ user }) => user?.[field] ?? null };
    case 'phone':
      return { value: ({ user }) => user?.phone ?? null, ...phoneColumn };
    case 'course':
      return { value: ({ course }) => course?.title ?? null };
    case 'waitingPlace':
      return { value: ({ waitingPlace }) => waitingPlace ?? null };
    case 'certificate':
      return { value: ({ certificate }) => certificate?.code ?? null };
    default:
      return { value: (enrollment) => enrollment[field] };
  }
}

/** Returns a function that reads, in batches, the ids of enrollments that the actor may see and that match a filter. */
async function idReader(core: Core, actor: Actor, filter: EnrollmentFilter) {
  const { where, parts } = await planEnrollmentSearch(core, actor, filter);
  // A single part, so that databases use the index with few matches. Otherwise they would read the whole table in the
  // order of ids.
  const among = parts?.parts ?? (isNarrow(actor, filter) ? [{ where }] : undefined);
  const idsAfter = (id: string) => {
    const after = (condition: WhereOptions<Enrollment>) => ({ [Op.and]: [condition, { id: { [Op.gt]: id } }] });
    const listed = { where: after(where), parts: among?.map((part) => ({ where: after(part.where) })), order };
    return core.database.read(() => rowQuery(core.database.models.Enrollment, listed).firstIds(idsPerQuery));
  };
  return { where, idsAfter };
}

/**
 * Returns an export of the enrollments that the actor may see and that match a filter, with trainees and courses,
 * oldest first.
 * @throws AppError `VALIDATION`, before any row is read
 */
export function enrollmentsTable(core: Core, actor: Actor, input: unknown, onExported?: OnExported): Table {
  const [schema, all] =
    actor.role === 'super_admin'
      ? ([enrollmentExportSchema, enrollmentExportFields] as const)
      : ([trainerEnrollmentExportSchema, trainerEnrollmentExportFields] as const);
  const { fields = all, ...filter } = validate(schema, input);
  const { models, read } = core.database;
  const joins = [
    { model: models.User, as: 'user', attributes: ['id', 'firstName', 'lastName', 'email', 'phone'] },
    { model: models.Course, as: 'course', attributes: ['id', 'title'] },
    certificateJoin(core),
  ];
  const include = joins.filter(({ as }) => as === 'user' || fields.some((field) => field === as));
  const hasPlaces = fields.includes('waitingPlace');
  const ofPlaces = hasPlaces ? ['status', 'courseId', 'waitingNumber'] : [];
  const attributes = [...new Set(['id', ...ofPlaces, ...fields])];
  let reader: Awaited<ReturnType<typeof idReader>> | undefined;
  let ids: string[] = [];
  async function rowsAfter(last: string): Promise<Exported[]> {
    reader ??= await idReader(core, actor, filter);
    const { where, idsAfter } = reader;
    if (ids.length === 0) ids = await idsAfter(last);
    while (ids.length > 0) {
      const some = ids.splice(0, batch);
      // Leaves out enrollments that have stopped matching since their ids were read.
      const rows = rowQuery(models.Enrollment, { where, order, include });
      const found = await read(() => rows.records(some, attributes));
      if (found.length > 0) {
        if (hasPlaces) await addWaitingPlaces(core, found);
        return found;
      }
      if (ids.length === 0) ids = await idsAfter(some.at(-1) ?? last);
    }
    return [];
  }
  return exportTable({ sheet: 'Enrollments', fields, columnOf, rowsAfter }, onExported);
}
