"""Sobremesa: three party games behind one small, signed, serverless API."""
