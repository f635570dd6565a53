import { expect } from 'chai';
import { enrolledCourseView } from '../../src/presenters/course.js';
import { currentEnrollmentView } from '../../src/presenters/enrollment.js';
import { courseFields } from '../../src/schemas/course-fields.js';
import { enrollmentFields } from '../../src/schemas/enrollment-fields.js';

const views = [
  { place: 'enrolledCourseView in course.ts', view: enrolledCourseView, of: courseFields },
  { place: 'currentEnrollmentView in enrollment.ts', view: currentEnrollmentView, of: enrollmentFields },
];

/** console/account-fields.test.ts checks the fields of accounts. */
describe('A response with its own list of fields', () => {
  for (const { place, view, of } of views)
    it(`shows or hides each field: ${place}`, () => {
      const hint = `Add the field to "shown" or to "hidden" of ${place} of src/presenters/`;
      expect([...view.shown, ...view.hidden], hint).to.have.members(Object.keys(of));
    });
});
