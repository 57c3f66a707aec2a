module github.com/agenthost/agenthost/bench

go 1.26.0
