// A single-page application on http://localhost:5173 that signs people in through Signet with oidc-client-ts.

import { createApp } from 'vue'
import App from './App.vue'

createApp(App).mount('#app')
