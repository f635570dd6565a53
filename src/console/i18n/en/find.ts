export const find = {
  title: 'Find',
  label: 'Name, course or page',
  results: 'Results',
  count_one: '{{count}} result',
  count_other: '{{count}} results',
  group: { people: 'People', courses: 'Courses', actions: 'Actions', pages: 'Pages' },
  action: {
    requests: 'Answer requests',
    newPerson: 'New person',
    import: 'Import people',
    newCourse: 'New course',
  },
} as const;
