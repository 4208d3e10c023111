package load

import "container/list"

// A Cache keeps compiled grammars up to a number of bytes. The least recently used ones go first.
// One that is larger than the whole cache is not kept. It belongs to one goroutine.
type Cache[V any] struct {
	// Evicted counts what had to go, Bytes is what it holds, Peak the most that it held.
	Evicted     int
	Bytes, Peak int64

	limit   int64
	entries map[int]*list.Element
	order   *list.List // of *cached, most recently used first
}

// cached is an entry of a Cache.
type cached[V any] struct {
	key   int
	value V
	bytes int64
}

// NewCache is an empty cache of a number of bytes.
func NewCache[V any](limit int64) *Cache[V] {
	return &Cache[V]{limit: limit, entries: map[int]*list.Element{}, order: list.New()}
}

// Get is the grammar of a number, which is now the most recently used one.
func (c *Cache[V]) Get(key int) (value V, ok bool) {
	e := c.entries[key]
	if e == nil {
		return value, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached[V]).value, true
}

// Put enters a grammar, or weighs one that is there again: engines that build on the way grow. One
// that has gone meanwhile is not entered by weighing.
func (c *Cache[V]) Put(key int, value V, bytes int64) {
	e := c.entries[key]
	if e == nil {
		e = c.order.PushFront(&cached[V]{key: key, value: value})
		c.entries[key] = e
	}
	it := e.Value.(*cached[V])
	c.Bytes += bytes - it.bytes
	it.bytes = bytes
	c.Limit(c.limit)
	c.Peak = max(c.Peak, c.Bytes)
}

// Limit changes the number of bytes that the cache keeps.
func (c *Cache[V]) Limit(to int64) {
	for c.limit = to; c.Bytes > c.limit; {
		c.drop(c.order.Back())
	}
}

// Weigh is Put for a grammar that may be there.
func (c *Cache[V]) Weigh(key int, bytes int64) {
	if e := c.entries[key]; e != nil {
		c.Put(key, e.Value.(*cached[V]).value, bytes)
	}
}

// drop forgets an entry.
func (c *Cache[V]) drop(e *list.Element) {
	it := c.order.Remove(e).(*cached[V])
	delete(c.entries, it.key)
	c.Bytes -= it.bytes
	c.Evicted++
}
