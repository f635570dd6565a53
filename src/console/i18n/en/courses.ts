export const courses = {
  title: 'Courses',
} as const;
