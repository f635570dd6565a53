/**
 * The yardstick of `npm run bench -- requests`: an Express server that does only the necessary work of each request. It
 * verifies the token, reads the session with its account by one prepared statement, and answers with as few statements as
 * possible. `JWT_SECRET` and `DATABASE_URL` are the service's. Prints its address.
 */
import { createSecretKey, randomUUID } from 'node:crypto';
import express from 'express';
import jwt from 'jsonwebtoken';
import { createPool } from 'mysql2/promise';

const key = createSecretKey(Buffer.from(process.env.JWT_SECRET, 'utf8'));
const pool = createPool({
  uri: process.env.DATABASE_URL,
  connectionLimit: Number(process.env.DB_POOL_MAX),
  timezone: 'Z',
});

const sessionSql = `
  SELECT u.id, u.first_name AS firstName, u.last_name AS lastName, u.email, u.phone, u.role, u.is_active AS isActive,
    u.avatar, u.last_login AS lastLogin, u.requires_password_change AS requiresPasswordChange,
    u.created_at AS createdAt, u.updated_at AS updatedAt
  FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = ? AND s.user_id = ? AND s.expires_at > ?`;

/** Reads the ids of a page from an index first, then its rows, as the service does. */
const enrollmentsSql = `
  SELECT e.id, e.status, e.progress, e.notes, e.enrolled_at AS enrolledAt, e.completed_at AS completedAt,
    u.id AS userId, u.first_name AS firstName, u.last_name AS lastName, u.email, u.avatar,
    c.id AS courseId, c.title, c.description, c.thumbnail
  FROM (SELECT id FROM enrollments WHERE trainer_id = ? ORDER BY enrolled_at DESC, id DESC LIMIT 20) page
  JOIN enrollments e ON e.id = page.id JOIN users u ON u.id = e.user_id JOIN courses c ON c.id = e.course_id
  ORDER BY e.enrolled_at DESC, e.id DESC`;
const enrollmentCountSql = 'SELECT COUNT(*) AS total FROM enrollments WHERE trainer_id = ?';

const coursesSql = `
  SELECT c.id, c.title, c.description, c.short_description AS shortDescription, c.category, c.level, c.language,
    c.course_type AS courseType, c.tags_json AS tags, c.thumbnail, c.max_students AS maxStudents, c.created_at AS createdAt,
    u.id AS trainerId, u.first_name AS firstName, u.last_name AS lastName, u.avatar
  FROM (SELECT id FROM courses WHERE is_published = 1 ORDER BY created_at DESC, id DESC LIMIT 20) page
  JOIN courses c ON c.id = page.id JOIN users u ON u.id = c.trainer_id ORDER BY c.created_at DESC, c.id DESC`;
const courseCountSql = 'SELECT COUNT(*) AS total FROM courses WHERE is_published = 1';

/** Finds the account of the token; answers 401 if there is none. */
async function signedIn(request, response, next) {
  const token = request.headers.authorization.slice('Bearer '.length);
  const { userId, sid } = jwt.verify(token, key, { algorithms: ['HS256'] });
  const [[user]] = await pool.execute(sessionSql, [sid, userId, new Date()]);
  if (!user) return response.status(401).json({ error: 'Invalid or expired token' });
  request.user = user;
  next();
}

/** Reads a page and its count in parallel. */
async function page(pageSql, countSql, values) {
  const [[items], [[{ total }]]] = await Promise.all([pool.execute(pageSql, values), pool.execute(countSql, values)]);
  return { success: true, items, pagination: { currentPage: 1, totalItems: total, itemsPerPage: 20 } };
}

/** Enrolls the account in a course, in a transaction that locks the course. */
async function enroll(userId, courseId) {
  const connection = await pool.getConnection();
  try {
    await connection.query('BEGIN');
    const [[course]] = await connection.execute(
      'SELECT trainer_id, max_students, is_published FROM courses WHERE id = ? FOR UPDATE',
      [courseId],
    );
    const [[existing]] = await connection.execute('SELECT id FROM enrollments WHERE user_id = ? AND course_id = ?', [
      userId,
      courseId,
    ]);
    const [[{ taken }]] = await connection.execute(
      "SELECT COUNT(*) AS taken FROM enrollments WHERE course_id = ? AND status IN ('pending', 'active')",
      [courseId],
    );
    if (existing || !course.is_published || taken >= course.max_students) throw new Error('No place');
    const [id, now] = [randomUUID(), new Date()];
    await connection.execute(
      `INSERT INTO enrollments (id, user_id, course_id, trainer_id, status, progress, enrolled_at, created_at, updated_at)
       VALUES (?, ?, ?, ?, 'pending', 0, ?, ?, ?)`,
      [id, userId, courseId, course.trainer_id, now, now, now],
    );
    await connection.query('COMMIT');
    return { id, userId, courseId, status: 'pending', progress: 0, enrolledAt: now };
  } catch (error) {
    await connection.query('ROLLBACK');
    throw error;
  } finally {
    connection.release();
  }
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/api/auth/me', signedIn, (request, response) => response.json({ success: true, user: request.user }));
app.get('/api/enrollments/trainer/:id', signedIn, async (request, response) =>
  response.json(await page(enrollmentsSql, enrollmentCountSql, [request.params.id])),
);
app.get('/api/courses', signedIn, async (_request, response) =>
  response.json(await page(coursesSql, courseCountSql, [])),
);
app.post('/api/enrollments', signedIn, express.json(), async (request, response) =>
  response.status(201).json({ success: true, enrollment: await enroll(request.user.id, request.body.courseId) }),
);
const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
