.PHONY: rows
rows: ## which protocol rows no vector and no named test covers
	python3 tests/rows.py
