# leftbower serve in a container: docker build -t leftbower . && docker run -p 8000:8000 -v leftbower:/data leftbower
# pip checks every package against the hashes of requirements*.txt (`make requirements`), and builds leftbower alone.

FROM python:3.11 AS build
WORKDIR /src
COPY requirements-build.txt .
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements-build.txt
COPY pyproject.toml setup.py README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-index --no-deps --no-build-isolation --wheel-dir /wheel .

FROM python:3.11-slim
COPY requirements.txt /tmp/
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r /tmp/requirements.txt
COPY --from=build /wheel /wheel
RUN pip install --no-cache-dir --no-index --no-deps /wheel/leftbower-*.whl && pip check
RUN useradd --system --create-home --home-dir /data leftbower
USER leftbower
WORKDIR /data
VOLUME /data
EXPOSE 8000
ENV LEFTBOWER_HOST=0.0.0.0 LEFTBOWER_DATABASE=/data/leftbower.db
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=5)"]
CMD ["leftbower", "serve"]
