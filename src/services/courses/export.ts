import { Op, type WhereOptions } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import { type CourseExportField, courseExportFields, courseExportSchema } from '../../schemas/course.js';
import { validate } from '../../schemas/validate.js';
import type { Table } from '../../tables/write/table.js';
import type { Core, Identity } from '../core.js';
import { type ExportColumn, exportTable, type OnExported } from '../exports.js';
import { addSeatCounts } from './capacity.js';
import { coursesMatching } from './queries.js';

/** Courses per query of an export. Limits the memory, because texts of courses may be long. */
const batch = 50;

function columnOf(field: CourseExportField): ExportColumn<Course> {
  switch (field) {
    case 'trainer':
      return { value: ({ trainer }) => (trainer ? `${trainer.firstName} ${trainer.lastName}` : null) };
    case 'seatsTaken':
      return { value: ({ seatsTaken = null }) => seatsTaken };
    case 'tags':
      return { value: ({ tags }) => tags.join(', ') };
    case 'startDate':
    case 'endDate':
    case 'enrollUntil':
      return {
        // Workbooks get a date cell, CSV gets the API's text.
        value: ({ [field]: day }) => (day === null ? null : new Date(day)),
        csvCell: (moment) => moment.slice(0, 10),
      };
    default:
      return { value: (course) => course[field] };
  }
}

/**
 * Returns an export of the courses that match a filter, oldest first: a trainer's courses, or all for the super admin.
 * @throws AppError `VALIDATION`, before the first query
 */
export function coursesTable(core: Core, { role, actorId }: Identity, input: unknown, onExported?: OnExported): Table {
  const { fields = courseExportFields, ...filter } = validate(courseExportSchema, input);
  const { models, read } = core.database;
  const own = role === 'super_admin' ? {} : { trainerId: actorId };
  const include = [{ model: models.User, as: 'trainer', attributes: ['firstName', 'lastName'] }];
  let matching: WhereOptions<Course> | undefined;
  return exportTable(
    {
      sheet: 'Courses',
      fields,
      columnOf,
      async rowsAfter(id) {
        matching ??= await coursesMatching(core, own, filter);
        const where = { [Op.and]: [matching, { id: { [Op.gt]: id } }] };
        const courses = await read(() =>
          models.Course.findAll({ where, include, order: [['id', 'ASC']], limit: batch }),
        );
        if (fields.includes('seatsTaken')) await addSeatCounts(core, courses);
        return courses;
      },
    },
    onExported,
  );
}
