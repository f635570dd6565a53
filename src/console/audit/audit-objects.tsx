import { useTranslation } from 'react-i18next';
import { TextLink } from '../ui/links.js';
import type { AuditEntry } from './changes.js';

/** Author of a change, as a link to the account. */
export function Actor({ entry: { actorId, actorName, osUser, origin } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  if (origin === 'program') return t('audit.program');
  if (actorId === null) return osUser === null ? t('audit.operator') : `${t('audit.operator')} (${osUser})`;
  if (actorName === null) return <DeletedObject search={{ actor: actorId }} />;
  return (
    <TextLink to="/people/$id" params={{ id: actorId }}>
      {actorName}
    </TextLink>
  );
}

/** Changed object, as a link to its page if it has one. */
export function Target({ entry }: { entry: AuditEntry }) {
  const { targetType, targetId, targetName } = entry;
  if (targetId === null) return '–';
  if (targetType === 'address') return <bdi>{targetId}</bdi>;
  if (targetName === null)
    return <DeletedObject search={{ targetType, target: targetId }} name={recordedName(entry)} />;
  return <ObjectLink kind={targetType} id={targetId} name={targetName} />;
}

interface ObjectLinkProps {
  kind: 'user' | 'course' | 'import' | 'enrollment' | 'group' | 'mail';
  id: string;
  name: string;
}

export function ObjectLink({ kind, id, name }: ObjectLinkProps) {
  switch (kind) {
    case 'user':
      return (
        <TextLink to="/people/$id" params={{ id }}>
          {name}
        </TextLink>
      );
    case 'course':
      return (
        <TextLink to="/courses/$id" params={{ id }}>
          {name}
        </TextLink>
      );
    case 'import':
      return (
        <TextLink to="/imports/$id" params={{ id }}>
          {name}
        </TextLink>
      );
    case 'enrollment':
    case 'group':
    case 'mail':
      return name;
  }
}

interface DeletedObjectProps {
  /** Filter for all audit entries of the object. */
  search: { actor: string } | { targetType: AuditEntry['targetType']; target: string };
  /** Name, if the entry has recorded it. */
  name?: string | undefined;
}

/** Deleted object, as a link to its audit entries. */
function DeletedObject({ search, name }: DeletedObjectProps) {
  const { t } = useTranslation();
  return (
    <TextLink to="/audit" search={search}>
      {name === undefined ? t('audit.gone') : t('audit.goneOf', { name })}
    </TextLink>
  );
}

/** Recorded name of a deleted course, group or account. */
function recordedName({ before, after }: AuditEntry): string | undefined {
  const { title, name = title, firstName, lastName, email } = { ...after, ...before };
  if (typeof name === 'string') return name;
  return typeof email === 'string' && typeof firstName === 'string'
    ? `${firstName} ${String(lastName)} (${email})`
    : undefined;
}
