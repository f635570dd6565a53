/** A course with every field. */
export const weaving = {
  title: 'Weaving for beginners',
  description: 'Warp and weft.\nBring wool.',
  shortDescription: 'Warp and weft.',
  category: 'Crafts',
  level: 'beginner',
  language: 'English',
  courseType: 'classroom',
  tags: ['loom', 'wool'],
  requirements: 'Two hands.',
  learningOutcomes: 'A scarf.',
  maxStudents: 12,
  startDate: '2026-09-01',
  endDate: '2026-12-18',
  location: 'Room 4',
  isFeatured: true,
};
