// The export of one instance is imported into another. All on the same two.
import './migration/example-document.ts'
import './migration/moved-organization.ts'
import './migration/moved-passwords.ts'
import './migration/generated-documents.ts'
