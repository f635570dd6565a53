import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { inputFields } from '../api/account-fields.js';
import { call, SessionEndedError } from '../api/client.js';
import { type SessionUser, useSession, useUser } from '../session/session.js';
import { AccountInputs, changesBetween, ownAutoComplete, valuesOf } from '../ui/forms/account-inputs.js';
import { useEditForm } from '../ui/forms/edit-form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { TextLink } from '../ui/links.js';

type Values = Pick<SessionUser, (typeof inputFields.profile)[number]>;

/** @param byMail whether a mailed link can change the email: otherwise only a super admin can; undefined while unknown */
export function AccountForm({ byMail }: { byMail: boolean | undefined }) {
  const { t } = useTranslation();
  const { reread, refresh } = useSession();
  const user = useUser();
  const { id, role, email } = user;

  /** Fetches the account. @throws SessionEndedError if the session has ended or belongs to another account */
  async function read(): Promise<SessionUser> {
    const session = await reread();
    if (session?.user.id !== id) throw new SessionEndedError(401);
    return session.user;
  }

  const form = useEditForm({
    source: user,
    valuesOf: (account: Values) => valuesOf(account, inputFields.profile),
    changesOf: changesBetween<Values>,
    labelOf: (name) => t(`field.${name}`),
    // The service ignores empty fields: without this check they would seem to be saved.
    validate: (values) =>
      Object.fromEntries(
        Object.entries(values)
          // A person imported without a phone may leave the field empty.
          .filter(([name, value]) => value.trim() === '' && Reflect.get(user, name) !== '')
          .map(([name]) => [name, t('profile.account.required')]),
      ),
    read,
    async save(changes) {
      const saved = await call('updateProfile', { body: changes });
      await refresh();
      return saved.user;
    },
  });
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={t('profile.account.title')}>
      <Stack maw={640}>
        <FormFailure>{form.failure}</FormFailure>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <AccountInputs
            names={inputFields.profile}
            field={form.field}
            autoComplete={ownAutoComplete}
            more={{ phone: { required: user.phone !== '' } }}
          />
          <TextInput
            value={email}
            readOnly
            label={t('field.email')}
            description={
              byMail === false && role === 'super_admin' ? (
                <TextLink to="/people/$id" params={{ id }}>
                  {t('profile.account.changeEmail')}
                </TextLink>
              ) : (
                t(byMail === false ? 'profile.account.emailHint' : 'profile.account.emailBelow')
              )
            }
            // Keeps the space until the text is known.
            descriptionProps={{ style: { visibility: byMail === undefined ? 'hidden' : 'visible' } }}
            inputWrapperOrder={['label', 'input', 'description']}
          />
        </SimpleGrid>
        <Group className="sticky-actions">
          <Button type="submit" loading={form.submitting}>
            {t('action.save')}
          </Button>
          {form.isDirty && (
            <Button variant="default" onClick={form.discard} disabled={form.submitting}>
              {t('action.discard')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
