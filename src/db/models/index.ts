import type { Sequelize } from 'sequelize';
import { initAuditEntry } from './audit-entry.js';
import { initCalendar } from './calendar.js';
import { initCertificate } from './certificate.js';
import { initCourse } from './course.js';
import { initEnrollment } from './enrollment.js';
import { initFormerMember, initGroup, initGroupEnrollment, initGroupMember } from './group.js';
import { initIdentity } from './identity.js';
import { initImport } from './import.js';
import { initImportPlan } from './import-plan.js';
import { initImportPlanRow } from './import-plan-row.js';
import { initImportRow } from './import-row.js';
import { initLink } from './link.js';
import { initLoginThrottle } from './login-throttle.js';
import { initMail } from './mail.js';
import { initPhoneCountry } from './phone-country.js';
import { initAccountWord, initCourseWord } from './search-words.js';
import { initSession } from './session.js';
import { initStoredFile } from './stored-file.js';
import { initUser } from './user.js';

/** Each `init` function defines a subclass of its model, because Sequelize binds a class to a single connection. */
export function initModels(sequelize: Sequelize) {
  const models = {
    User: initUser(sequelize),
    AccountWord: initAccountWord(sequelize),
    CourseWord: initCourseWord(sequelize),
    Session: initSession(sequelize),
    Identity: initIdentity(sequelize),
    AuditEntry: initAuditEntry(sequelize),
    Import: initImport(sequelize),
    ImportRow: initImportRow(sequelize),
    ImportPlan: initImportPlan(sequelize),
    ImportPlanRow: initImportPlanRow(sequelize),
    Course: initCourse(sequelize),
    Enrollment: initEnrollment(sequelize),
    Certificate: initCertificate(sequelize),
    Group: initGroup(sequelize),
    GroupMember: initGroupMember(sequelize),
    FormerMember: initFormerMember(sequelize),
    GroupEnrollment: initGroupEnrollment(sequelize),
    StoredFile: initStoredFile(sequelize),
    LoginThrottle: initLoginThrottle(sequelize),
    PhoneCountry: initPhoneCountry(sequelize),
    Mail: initMail(sequelize),
    Link: initLink(sequelize),
    Calendar: initCalendar(sequelize),
  };
  models.Session.belongsTo(models.User, { as: 'user', foreignKey: 'userId' });
  models.Course.belongsTo(models.User, { as: 'trainer', foreignKey: 'trainerId' });
  models.Enrollment.belongsTo(models.Course, { as: 'course', foreignKey: 'courseId' });
  models.Enrollment.belongsTo(models.User, { as: 'user', foreignKey: 'userId' });
  // Only a valid certificate refers to its enrollment.
  models.Enrollment.hasOne(models.Certificate, { as: 'certificate', foreignKey: 'enrollmentId' });
  models.GroupMember.belongsTo(models.User, { as: 'user', foreignKey: 'userId' });
  models.GroupEnrollment.belongsTo(models.Enrollment, { as: 'enrollment', foreignKey: 'enrollmentId' });
  models.GroupMember.belongsTo(models.Group, { as: 'group', foreignKey: 'groupId' });
  // An account may have several locks: the query selects one.
  models.User.hasOne(models.LoginThrottle, { as: 'currentLock', foreignKey: 'accountId', constraints: false });
  return models;
}

export type Models = ReturnType<typeof initModels>;
