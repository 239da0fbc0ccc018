"""What a release needs: `installing.py` tries what was built, `audit.py` looks at all that it is built on."""
