import { Group, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client.js';
import { CourseDates } from '../courses/course-state.js';
import type { Course } from '../courses/course-values.js';
import { formatWeekday } from '../i18n/format.js';
import { useToday } from '../session/session.js';
import { nameOf } from '../ui/person-name.js';
import { programmeName } from '../ui/programme.js';
import { Loaded } from '../ui/states.js';
import { type DayRange, daysOf, defaultRange, fitsOnPage, maxDays, rangeFrom } from './days.js';
import { PaperPage, PrintButton } from './paper-page.js';
import { useAllByName } from './rows.js';

const route = getRouteApi('/courses/$id/attendance');

/** Empty lines for people who are not on the list. */
const emptyLines = ['a', 'b', 'c', 'd', 'e'];

/** List of the participants of a course, to sign each day. */
export function AttendancePage() {
  const { id } = route.useParams();
  return (
    <PaperPage id={id} kind="attendance">
      {(course) => <AttendanceList key={id} course={course} />}
    </PaperPage>
  );
}

function AttendanceList({ course }: { course: Course }) {
  const { t } = useTranslation();
  const [range, setRange] = useState(defaultRange(course, useToday()));
  const courseId = course.id;
  const query = useAllByName(['listCourseTrainees', 'all', courseId], async (following, signal) => {
    // Trainees may complete a course before its last day.
    const filter = { status: ['active' as const, 'completed' as const] };
    const page = await call('listCourseTrainees', { path: { courseId }, query: { ...filter, ...following } }, signal);
    return page.trainees.map(({ enrollment: { id }, firstName, lastName }) => ({ id, firstName, lastName }));
  });
  const days = daysOf(range);
  return (
    <Loaded query={query}>
      {(participants) => (
        <>
          <Group justify="space-between" align="flex-end">
            {fitsOnPage(course) ? (
              <Text size="sm">{t('enrollments.paper.participants', { count: participants.length })}</Text>
            ) : (
              <DayInputs course={course} range={range} onChange={setRange} />
            )}
            <PrintButton />
          </Group>
          <section
            className="paper attendance"
            aria-label={t('enrollments.paper.attendance')}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls sideways in narrow windows
            tabIndex={0}
          >
            <table>
              <thead>
                <tr>
                  <td colSpan={days.length + 2}>
                    <ListHead course={course} />
                  </td>
                </tr>
                <tr>
                  <th scope="col">{t('field.name')}</th>
                  <th scope="col">{t('enrollments.paper.signature')}</th>
                  {days.map((day) => (
                    <th key={day} scope="col" className="day">
                      {formatWeekday(day)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {participants.map(({ id, firstName, lastName }) => (
                  <Line key={id} days={days} name={`${lastName}, ${firstName}`} />
                ))}
                {emptyLines.map((line) => (
                  <Line key={line} days={days} name="" />
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </Loaded>
  );
}

/** @param name empty for a line to fill in */
function Line({ days, name }: { days: readonly string[]; name: string }) {
  return (
    <tr>
      {name === '' ? (
        <td className="numbered" />
      ) : (
        <th scope="row" className="numbered">
          <bdi>{name}</bdi>
        </th>
      )}
      <td />
      {days.map((day) => (
        <td key={day} />
      ))}
    </tr>
  );
}

/** Facts about the course, on each printed page. */
function ListHead({ course }: { course: Course }) {
  const { t } = useTranslation();
  const { title, location, trainer } = course;
  return (
    <>
      <bdi className="attendance-title">{title}</bdi>
      <div className="attendance-facts">
        <bdi>{programmeName}</bdi>
        <CourseDates course={course} />
        {location !== null && <bdi>{location}</bdi>}
        <span>
          {t('courses.field.trainer')}: <bdi>{nameOf(trainer)}</bdi>
        </span>
      </div>
    </>
  );
}

interface DayInputsProps {
  course: Course;
  range: DayRange;
  onChange(range: DayRange): void;
}

/** Inputs for the days of a long course. A new first day changes the last day, too. */
function DayInputs({ course, range, onChange }: DayInputsProps) {
  const { t } = useTranslation();
  return (
    <Group align="flex-start">
      <TextInput
        type="date"
        label={t('enrollments.paper.firstDay')}
        value={range.first}
        onChange={({ currentTarget: { value } }) => onChange(rangeFrom(value, course))}
      />
      <TextInput
        type="date"
        label={t('enrollments.paper.lastDay')}
        value={range.last}
        error={daysOf(range).length === 0 && t('enrollments.paper.tooManyDays', { most: maxDays })}
        onChange={({ currentTarget: { value } }) => onChange({ ...range, last: value })}
      />
    </Group>
  );
}
