package analysis

import (
	"vantage/model/fault"
)

// Pipeline computes values on several processors, and visits them in the order in which they were asked for. It is used by one
// goroutine, which visits.
type Pipeline[T any] struct {
	visit   func(T) error
	jobs    chan job[T]
	ahead   []job[T] // that are not visited yet
	size    int      // of these
	most    int      // of these, for each worker
	workers int
	running fault.Group
}

type job[T any] struct {
	size    int
	compute func() (T, error)
	done    chan fault.Outcome[result[T]]
}

type result[T any] struct {
	value T
	err   error
}

// How much is computed while one value is visited: few values, and of few samples unless one has more.
const (
	jobsAhead    = 3  // for each worker
	passingAhead = 16 // of what takes little memory: no worker waits for the visit of short steps
	samplesAhead = 1 << 18
)

// NewPipeline starts the workers, which [Pipeline.Close] ends.
func NewPipeline[T any](visit func(T) error) *Pipeline[T] { return newPipeline(jobsAhead, visit) }

func newPipeline[T any](most int, visit func(T) error) *Pipeline[T] {
	p := &Pipeline[T]{visit: visit, jobs: make(chan job[T], most*maxWorkers), most: most, workers: workers()}
	for range p.workers {
		p.running.Go(func() {
			for j := range p.jobs {
				j.done <- fault.Try(func() result[T] {
					fault.Plant("pipeline", "")
					value, err := j.compute()
					return result[T]{value, err}
				})
			}
		})
	}
	return p
}

// Add asks for a value of so many samples. It returns the first error of computing or visiting one of those before.
func (p *Pipeline[T]) Add(samples int, compute func() (T, error)) error {
	for len(p.ahead) > 0 && (len(p.ahead) == p.most*p.workers || p.size+samples > samplesAhead) {
		if err := p.next(); err != nil {
			return err
		}
	}
	j := job[T]{samples, compute, make(chan fault.Outcome[result[T]], 1)}
	p.ahead, p.size = append(p.ahead, j), p.size+samples
	p.jobs <- j
	return nil
}

func (p *Pipeline[T]) next() error {
	done := <-p.ahead[0].done
	r := done.Get()
	p.size -= p.ahead[0].size
	p.ahead = p.ahead[1:]
	if r.err != nil {
		return r.err
	}
	return p.visit(r.value)
}

// End visits the rest.
func (p *Pipeline[T]) End() error {
	for len(p.ahead) > 0 {
		if err := p.next(); err != nil {
			return err
		}
	}
	return nil
}

// Close waits until nothing is computed any more.
func (p *Pipeline[T]) Close() {
	close(p.jobs)
	p.running.Wait()
}
