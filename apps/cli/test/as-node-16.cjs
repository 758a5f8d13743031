Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '16.20.2' } })
