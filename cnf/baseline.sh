#!/usr/bin/env bash
# Makes the jars that others build against the baseline of ApiBaselineTest: cnf/baseline.sh VERSION, once after a release, from a built tree.
set -eu
home=$(cd -- "$(dirname -- "$0")/.." && pwd -P)
version=${1:?usage: cnf/baseline.sh VERSION}
mkdir -p "$home/cnf/baseline"
rm -f "$home"/cnf/baseline/*.jar
for bundle in coll.api coll.plan coll.tck mpi.api runtime.transport.api; do
  cp "$home/dist/target/tutti/bundle/tutti.$bundle.jar" "$home/cnf/baseline/tutti.$bundle-$version.jar"
done
