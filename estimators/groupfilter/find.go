package groupfilter

import "errors"

func Find(name string) (*Filter, error) { return nil, errors.New("x") }
